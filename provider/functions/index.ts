// The data sources without Pulumi: functions that check their arguments and read from an account.

export { type GetApiKeyArgs, type GetApiKeysArgs, getApiKey, getApiKeys } from "./api-keys";
export { ARGUMENTS, type CallArgs, checkCall, checkNames } from "./args";
export { hideArguments } from "./hide-arguments";
export {
  type GetOperationArgs,
  type GetOperationsArgs,
  getOperation,
  getOperations,
  listOperations,
  type WaitForOperationsArgs,
  waitForOperations,
} from "./operations";
export { type GetProjectArgs, type GetProjectsArgs, getProject, getProjects } from "./projects";
