/**
 * What a program imports: resource classes and data sources. Here is no logic, and no HTTP.
 * @module keyplane
 */
export type { ApiKeyRecord, Operation, PendingOperation, Project, WaitProgress } from "../../provider/api";
export {
  AbortedError,
  ApiError,
  ConfigError,
  type ErrorCode,
  type ErrorKind,
  type FailedOperation,
  InputError,
  KeyplaneError,
  OperationFailedError,
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
  WaitForOperationsArgs,
} from "../../provider/functions";
export { ApiKey, type ApiKeyArgs, type PendingWork } from "./api-key";
export type { OutputArgs, OutputOptions } from "./data-source";
export { getApiKey, getApiKeyOutput } from "./get-api-key";
export { getApiKeys, getApiKeysOutput } from "./get-api-keys";
export { getOperation, getOperationOutput } from "./get-operation";
export { getOperations, getOperationsOutput } from "./get-operations";
export { getProject, getProjectOutput } from "./get-project";
export { getProjects, getProjectsOutput } from "./get-projects";
export { listOperations } from "./list-operations";
export { ProjectReady, type ProjectReadyArgs } from "./project-ready";
export { type AdoptArgs, RotatingApiKey, type RotatingApiKeyArgs } from "./rotating-api-key";
export { waitForOperations, waitForOperationsOutput } from "./wait-for-operations";
