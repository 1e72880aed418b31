// The service's endpoints as typed calls; its snake_case shapes are known in this folder and nowhere else.
export { Account, type AccountOptions } from "./account";
export { type CreateKeyOptions, Keys, type ListKeysOptions } from "./api-keys";
export { Collected } from "./collected";
export { BACKGROUND_ACTIONS, DEFAULT_HORIZON_MS } from "./idle-wait";
export { LIST_OPERATIONS, Operations, type OperationsFilter } from "./operations";
export { type ListProjectsOptions, Projects } from "./projects";
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
export { isKnownStatus, type Standing, standingOf } from "./statuses";
