/**
 * What a program imports: resource classes and data sources. Contains no logic and no HTTP.
 * @module keyplane
 */
export type { ApiKeyRecord, Operation, Project, WaitProgress } from "../../provider/api";
export {
  AbortedError,
  AnswerLostError,
  ApiError,
  BadAnswerError,
  ConfigError,
  type ErrorCode,
  type ErrorKind,
  type FailedOperation,
  InputError,
  KeyplaneError,
  OperationFailedError,
  type PendingOperation,
  TimeoutError,
  TransportError,
} from "../../provider/errors";
export type {
  CallArgs,
  GetApiKeyArgs,
  GetApiKeysArgs,
  GetOperationArgs,
  GetOperationsArgs,
  GetProjectArgs,
  GetProjectsArgs,
  WaitForOperationsArgs,
} from "../../provider/functions";
export type { PendingWork } from "../../provider/pending-work";
export { isKeyType } from "../../provider/type-tokens";
export { ApiKey, type ApiKeyArgs } from "./api-key";
export { getApiKey, getApiKeyOutput, getApiKeys, getApiKeysOutput } from "./data-sources/api-keys";
export type { OutputArgs, OutputOptions } from "./data-sources/data-source";
export {
  getOperation,
  getOperationOutput,
  getOperations,
  getOperationsOutput,
  listOperations,
  waitForOperations,
  waitForOperationsOutput,
} from "./data-sources/operations";
export { getProject, getProjectOutput, getProjects, getProjectsOutput } from "./data-sources/projects";
export { ProjectReady, type ProjectReadyArgs } from "./project-ready";
export { type AdoptArgs, RotatingApiKey, type RotatingApiKeyArgs } from "./rotating-api-key";
export type { RotationWindowArgs } from "./rotation-window";
export type { GitHubActionsKey, KubernetesRecipient, SealedKey, SealTo } from "./seal-to";
