// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type InvokeOutputOptions, invokeOptionsOf } from "./runtime";

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
export interface GetApiKeyOutputArgs {
  /** Id of the organization whose keys to read. Defaults to the account's own keys. */
  readonly organizationId?: pulumi.Input<string | undefined>;
  /** The key's id: decimal text. */
  readonly id?: pulumi.Input<string | undefined>;
  /** The key's exact name. Fails if several live keys have it. */
  readonly name?: pulumi.Input<string | undefined>;
}

/** The result of `getApiKey`. */
export interface GetApiKeyResult {
  /** The key's id: decimal text. */
  readonly id: string;
  /** The name that it was created with. */
  readonly name: string;
  /** ISO 8601 time of creation. */
  readonly createdAt: string;
  /** ISO 8601 time of the last use; absent if it was never used. */
  readonly lastUsedAt?: string | undefined;
  /** Address of the last use; absent if it was never used. */
  readonly lastUsedFromAddr?: string | undefined;
  /** Who created it, if the service provides it. */
  readonly createdBy?: string | undefined;
  /** The project that the key is limited to; only in the list of an organization. */
  readonly projectId?: string | undefined;
}

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
