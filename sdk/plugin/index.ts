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
  type GetApiKeysArgs,
  type GetApiKeysOutputArgs,
  type GetApiKeysResult,
  type GetOperationArgs,
  type GetOperationOutputArgs,
  type GetOperationResult,
  type GetOperationsArgs,
  type GetOperationsOutputArgs,
  type GetOperationsResult,
  type GetProjectArgs,
  type GetProjectOutputArgs,
  type GetProjectResult,
  type GetProjectsResult,
  getApiKey,
  getApiKeyOutput,
  getApiKeys,
  getApiKeysOutput,
  getOperation,
  getOperationOutput,
  getOperations,
  getOperationsOutput,
  getProject,
  getProjectOutput,
  getProjects,
  getProjectsOutput,
  type WaitForOperationsArgs,
  type WaitForOperationsOutputArgs,
  type WaitForOperationsResult,
  waitForOperations,
  waitForOperationsOutput,
} from "./functions";
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
