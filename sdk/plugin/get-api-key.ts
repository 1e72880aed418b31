// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { ApiKeyInfo } from "./types";

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
