// The service's endpoints as typed calls. Only this folder knows the service's snake_case JSON.
export { Account, type AccountOptions } from "./account";
export { Collected } from "./collected";
export { Keys } from "./keys/api-keys";
export { LIST_OPERATIONS } from "./operations/operations";
export type { ApiKeyRecord, Operation, OperationRef, Project, WaitProgress } from "./records";
