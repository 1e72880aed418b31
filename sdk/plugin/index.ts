// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.

/**
 * The resources, functions and the provider of the plugin, for programs in TypeScript and JavaScript.
 * @module keyplane/plugin
 */
export { ApiKey, type ApiKeyArgs } from "./api-key";
export {
  type GetApiKeyArgs,
  type GetApiKeyOutputArgs,
  type GetApiKeyResult,
  getApiKey,
  getApiKeyOutput,
} from "./get-api-key";
export {
  type GetApiKeysArgs,
  type GetApiKeysOutputArgs,
  type GetApiKeysResult,
  getApiKeys,
  getApiKeysOutput,
} from "./get-api-keys";
export {
  type GetOperationArgs,
  type GetOperationOutputArgs,
  type GetOperationResult,
  getOperation,
  getOperationOutput,
} from "./get-operation";
export {
  type GetOperationsArgs,
  type GetOperationsOutputArgs,
  type GetOperationsResult,
  getOperations,
  getOperationsOutput,
} from "./get-operations";
export {
  type GetProjectArgs,
  type GetProjectOutputArgs,
  type GetProjectResult,
  getProject,
  getProjectOutput,
} from "./get-project";
export { type GetProjectsResult, getProjects, getProjectsOutput } from "./get-projects";
export { ProjectReady, type ProjectReadyArgs } from "./project-ready";
export { Provider, type ProviderArgs } from "./provider";
export { RotatingApiKey, type RotatingApiKeyArgs } from "./rotating-api-key";
export type { InvokeOutputOptions } from "./runtime";
export type {
  AdoptionArgs,
  ApiKeyInfo,
  GithubActionsKey,
  GithubActionsKeyArgs,
  Operation,
  PendingWork,
  Project,
  Recipients,
  RecipientsArgs,
  RotationWindow,
  RotationWindowArgs,
  SealedKey,
} from "./types";
export {
  type WaitForOperationsArgs,
  type WaitForOperationsOutputArgs,
  type WaitForOperationsResult,
  waitForOperations,
  waitForOperationsOutput,
} from "./wait-for-operations";
