// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { ApiKeyInfo, Operation, Project } from "./types";

/** The arguments of `getApiKeys`. */
export interface GetApiKeysArgs {
  /** Id of the organization whose keys to read. Defaults to the account's own keys. */
  readonly organizationId?: string | undefined;
}

/** The arguments of `getApiKeysOutput`. */
export interface GetApiKeysOutputArgs extends AsInputs<GetApiKeysArgs> {}

/** The result of `getApiKeys`. */
export interface GetApiKeysResult {
  /** What was found. */
  readonly items: ApiKeyInfo[];
}

/** All live API keys of the account, or of an organization in it, newest first, without their secrets. */
export function getApiKeys(args: GetApiKeysArgs = {}, options: pulumi.InvokeOptions = {}): Promise<GetApiKeysResult> {
  return pulumi.runtime.invoke("keyplane:index:getApiKeys", { ...args }, invokeOptionsOf(options));
}

/** The form of `getApiKeys` whose arguments can be outputs of resources. */
export function getApiKeysOutput(
  args: GetApiKeysOutputArgs = {},
  options: InvokeOutputOptions = {},
): pulumi.Output<GetApiKeysResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getApiKeys", { ...args }, invokeOptionsOf(options));
}

/** The arguments of `getApiKey`. */
export interface GetApiKeyArgs {
  /** Id of the organization whose keys to read. Defaults to the account's own keys. */
  readonly organizationId?: string | undefined;
  /** The key's id: decimal text. */
  readonly id?: string | undefined;
  /** The key's exact name. Fails if several live keys have it. */
  readonly name?: string | undefined;
}

/** The arguments of `getApiKeyOutput`. */
export interface GetApiKeyOutputArgs extends AsInputs<GetApiKeyArgs> {}

/** The result of `getApiKey`. */
export interface GetApiKeyResult extends ApiKeyInfo {}

/**
 * One live API key, by `id` or by `name`, without its secret. Fails if no key is found, or if several have the name.
 */
export function getApiKey(args: GetApiKeyArgs = {}, options: pulumi.InvokeOptions = {}): Promise<GetApiKeyResult> {
  return pulumi.runtime.invoke("keyplane:index:getApiKey", { ...args }, invokeOptionsOf(options));
}

/** The form of `getApiKey` whose arguments can be outputs of resources. */
export function getApiKeyOutput(
  args: GetApiKeyOutputArgs = {},
  options: InvokeOutputOptions = {},
): pulumi.Output<GetApiKeyResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getApiKey", { ...args }, invokeOptionsOf(options));
}

/** The arguments of `getProjects`. */
export interface GetProjectsArgs {
  /**
   * Id of the organization whose projects to read. Required if the account's projects belong to organizations and
   * `apiKey` is a personal key. Defaults to the account's own projects, or those of the organization that `apiKey`
   * belongs to.
   */
  readonly organizationId?: string | undefined;
}

/** The arguments of `getProjectsOutput`. */
export interface GetProjectsOutputArgs extends AsInputs<GetProjectsArgs> {}

/** The result of `getProjects`. */
export interface GetProjectsResult {
  /** What was found. */
  readonly items: Project[];
}

/**
 * All projects of the account, or of an organization in it. Warns if the service could not read some of them in time.
 */
export function getProjects(
  args: GetProjectsArgs = {},
  options: pulumi.InvokeOptions = {},
): Promise<GetProjectsResult> {
  return pulumi.runtime.invoke("keyplane:index:getProjects", { ...args }, invokeOptionsOf(options));
}

/** The form of `getProjects` whose arguments can be outputs of resources. */
export function getProjectsOutput(
  args: GetProjectsOutputArgs = {},
  options: InvokeOutputOptions = {},
): pulumi.Output<GetProjectsResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getProjects", { ...args }, invokeOptionsOf(options));
}

/** The arguments of `getProject`. */
export interface GetProjectArgs {
  /** The project's id. */
  readonly id?: string | undefined;
  /** The project's exact name. Fails if several projects have it. */
  readonly name?: string | undefined;
  /**
   * Id of the organization that the project belongs to. With `name`, required if the account's projects belong to
   * organizations and `apiKey` is a personal key. Defaults to any organization with `id`; otherwise that of
   * `getProjects`.
   */
  readonly organizationId?: string | undefined;
}

/** The arguments of `getProjectOutput`. */
export interface GetProjectOutputArgs extends AsInputs<GetProjectArgs> {}

/** The result of `getProject`. */
export interface GetProjectResult extends Project {}

/** One project by `id` or by `name`. Fails if no project is found, or if several have the name. */
export function getProject(args: GetProjectArgs = {}, options: pulumi.InvokeOptions = {}): Promise<GetProjectResult> {
  return pulumi.runtime.invoke("keyplane:index:getProject", { ...args }, invokeOptionsOf(options));
}

/** The form of `getProject` whose arguments can be outputs of resources. */
export function getProjectOutput(
  args: GetProjectOutputArgs = {},
  options: InvokeOutputOptions = {},
): pulumi.Output<GetProjectResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getProject", { ...args }, invokeOptionsOf(options));
}

/** The arguments of `getOperations`. */
export interface GetOperationsArgs {
  /** The project's id. */
  readonly projectId: string;
  /** Only those created at or after this ISO 8601 time. */
  readonly since?: string | undefined;
  /** Only those in one of these statuses. */
  readonly status?: string[] | undefined;
  /** Only those of one of these kinds, e.g. `start_compute`. */
  readonly action?: string[] | undefined;
  /** Maximum number of operations, the newest first. Defaults to all. */
  readonly limit?: number | undefined;
}

/** The arguments of `getOperationsOutput`. */
export interface GetOperationsOutputArgs extends AsInputs<GetOperationsArgs> {}

/** The result of `getOperations`. */
export interface GetOperationsResult {
  /** What was found. */
  readonly items: Operation[];
}

/** The operations of a project that match the filters, newest first. Use `limit` if there are very many. */
export function getOperations(
  args: GetOperationsArgs,
  options: pulumi.InvokeOptions = {},
): Promise<GetOperationsResult> {
  return pulumi.runtime.invoke("keyplane:index:getOperations", { ...args }, invokeOptionsOf(options));
}

/** The form of `getOperations` whose arguments can be outputs of resources. */
export function getOperationsOutput(
  args: GetOperationsOutputArgs,
  options: InvokeOutputOptions = {},
): pulumi.Output<GetOperationsResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getOperations", { ...args }, invokeOptionsOf(options));
}

/** The arguments of `getOperation`. */
export interface GetOperationArgs {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The operation's id, a UUID. */
  readonly operationId: string;
}

/** The arguments of `getOperationOutput`. */
export interface GetOperationOutputArgs extends AsInputs<GetOperationArgs> {}

/** The result of `getOperation`. */
export interface GetOperationResult extends Operation {}

/** One operation of a project. Fails if it is not found. The service forgets old operations. */
export function getOperation(args: GetOperationArgs, options: pulumi.InvokeOptions = {}): Promise<GetOperationResult> {
  return pulumi.runtime.invoke("keyplane:index:getOperation", { ...args }, invokeOptionsOf(options));
}

/** The form of `getOperation` whose arguments can be outputs of resources. */
export function getOperationOutput(
  args: GetOperationOutputArgs,
  options: InvokeOutputOptions = {},
): pulumi.Output<GetOperationResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getOperation", { ...args }, invokeOptionsOf(options));
}

/** The arguments of `waitForOperations`. */
export interface WaitForOperationsArgs {
  /** The project's id. */
  readonly projectId: string;
  /** Ids of the operations to wait for. Defaults to all pending ones, except the platform's background work. */
  readonly operationIds?: string[] | undefined;
  /** Maximum time to wait, e.g. `15m`. Defaults to the configured `operationTimeout`. */
  readonly operationTimeout?: string | undefined;
  /** Time between two polls, e.g. `10s`. Defaults to the configured `pollInterval`. */
  readonly pollInterval?: string | undefined;
}

/** The arguments of `waitForOperationsOutput`. */
export interface WaitForOperationsOutputArgs extends AsInputs<WaitForOperationsArgs> {}

/** The result of `waitForOperations`. */
export interface WaitForOperationsResult {
  /** What was found. */
  readonly items: Operation[];
}

/**
 * Waits until operations of a project have ended. Fails if one of them fails, or if the wait times out. For resources
 * that depend on a project, use `ProjectReady` instead. A preview does not wait: it returns an empty list at once.
 */
export function waitForOperations(
  args: WaitForOperationsArgs,
  options: pulumi.InvokeOptions = {},
): Promise<WaitForOperationsResult> {
  return pulumi.runtime.invoke("keyplane:index:waitForOperations", { ...args }, invokeOptionsOf(options));
}

/** The form of `waitForOperations` whose arguments can be outputs of resources. */
export function waitForOperationsOutput(
  args: WaitForOperationsOutputArgs,
  options: InvokeOutputOptions = {},
): pulumi.Output<WaitForOperationsResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:waitForOperations", { ...args }, invokeOptionsOf(options));
}
