/** `keyplane/testing`: what runs programs that use keyplane on one machine, with no account and no network. */
export {
  type ControlPlane,
  type ControlPlaneOptions,
  connectControlPlane,
  type LiveKey,
  type LogEntry,
  type Rule,
  startControlPlane,
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
