// The service's endpoints as typed calls. Only this folder knows the service's snake_case JSON.
export { Account, type AccountOptions } from "./account";
export { Collected } from "./collected";
export { type CreateKeyOptions, Keys, type ListKeysOptions } from "./keys/api-keys";
export { BACKGROUND_ACTIONS, DEFAULT_HORIZON_MS } from "./operations/idle-wait";
export { LIST_OPERATIONS, Operations, type OperationsFilter } from "./operations/operations";
export { isKnownStatus, type Phase, phaseOf } from "./operations/statuses";
export { type ListProjectsOptions, Projects } from "./projects/projects";
export type {
  ApiKeyRecord,
  CreatedKey,
  FailedOperation,
  IdleResult,
  Operation,
  OperationRef,
  PendingOperation,
  Project,
  ReadOptions,
  WaitIdleOptions,
  WaitOperationsOptions,
  WaitOptions,
  WaitProgress,
} from "./records";
