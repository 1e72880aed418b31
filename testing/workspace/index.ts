// Isolated stacks for tests, on either engine, and a search for secrets in their files and output.
export { type EngineName, engineOf, pulumiOnPath } from "./engine-command";
export type { EngineRun } from "./engine-run";
export type { Program } from "./program-folder";
export type { Diagnostic, RunResult, Step } from "./run-result";
export { type SecretFinding, type SecretSearch, searchSecrets } from "./search-secrets";
export { type EngineCommandName, type RunOptions, Workspace, type WorkspaceOptions } from "./workspace";
