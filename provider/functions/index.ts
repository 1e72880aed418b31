// The bodies of the data sources: functions of an account and checked arguments, without Pulumi.
export type { CallArgs } from "./args";
export { type GetApiKeyArgs, getApiKey } from "./get-api-key";
export { type GetApiKeysArgs, getApiKeys } from "./get-api-keys";
export { type GetOperationArgs, getOperation } from "./get-operation";
export { getOperations } from "./get-operations";
export { type GetProjectArgs, getProject } from "./get-project";
export { getProjects } from "./get-projects";
export { type GetOperationsArgs, listOperations } from "./list-operations";
export { type WaitForOperationsArgs, waitForOperations } from "./wait-for-operations";
