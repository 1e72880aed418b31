/**
 * `keyplane/testing`: runs programs that use keyplane on one machine, without an account or a network.
 * @module keyplane/testing
 */
export {
  type ClockMode,
  type ClockReading,
  type ClockSettings,
  type Commit,
  type ControlPlane,
  type ControlPlaneOptions,
  connectControlPlane,
  type Fault,
  type HeldRequest,
  type HeldRule,
  type LiveKey,
  type LogEntry,
  type LogFilter,
  type OperationCourse,
  type ProjectKeys,
  type ProjectSeed,
  type Rule,
  type RuleOperation,
  type Seed,
  type StartedOperations,
  type Switches,
  startControlPlane,
  type TiedOperations,
} from "./control-plane";
export { type CommandOptions, DeployError, DeployedProgram, type DeployOptions, deploy } from "./deploy";
export { drivenTime } from "./driven-time";
export {
  type Diagnostic,
  type EngineCommandName,
  type EngineName,
  type EngineRun,
  engineOf,
  type Program,
  pulumiOnPath,
  type RunOptions,
  type RunResult,
  type SecretFinding,
  type SecretSearch,
  type Step,
  searchSecrets,
  Workspace,
  type WorkspaceOptions,
} from "./workspace";
