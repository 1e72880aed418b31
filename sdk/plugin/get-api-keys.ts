// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { ApiKeyInfo } from "./types";

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
