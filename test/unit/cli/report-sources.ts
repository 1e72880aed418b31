import type { ReadList } from "../../../cli/keys/join";
import type { ApiKeyRecord } from "../../../provider/api";
import { accountFingerprint } from "../../../provider/keys/fingerprint";
import { type Deployment, readDeployment } from "../../../provider/stack/deployment";
import { DYNAMIC, PLUGIN } from "../../../provider/type-tokens";

const baseUrl = "https://service.example/api/v2";

/** The fingerprint of the account whose credential is this text. */
export const accountOf = (apiKey: string): string => accountFingerprint({ baseUrl, apiKey });

/** A list of keys, as a report requests it. */
export function listOf(keys: readonly Partial<ApiKeyRecord>[], list: Partial<ReadList> = {}): ReadList {
  const records = keys.map((key) => ({
    id: "1",
    name: "a",
    createdAt: "2026-11-01T00:00:00.000Z",
    lastUsedAt: null,
    lastUsedFromAddr: null,
    ...key,
  }));
  const origin = new URL(baseUrl).origin;
  return {
    account: undefined,
    organizationId: undefined,
    origin,
    fingerprint: accountOf("admin"),
    keys: records,
    ...list,
  };
}

/** A resource of a test, with what a state has beside its type and name. */
export interface TestResource {
  readonly type: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** A state of a stack with these resources, and with pending creations. */
export function deploymentOf(
  resources: readonly TestResource[],
  stack = "dev",
  time = "2026-11-20T00:00:00Z",
  creating: readonly TestResource[] = [],
): Deployment {
  const wire = ({ type, name, ...members }: TestResource) => ({
    urn: urnOf(type, name, stack),
    type,
    custom: true,
    ...members,
  });
  const pending = creating.map((each) => ({ type: "creating", resource: wire(each) }));
  const deployment = { manifest: { time }, resources: resources.map(wire), pending_operations: pending };
  return readDeployment(JSON.stringify({ version: 3, deployment }));
}

/** The URN of a resource in a test. */
export function urnOf(type: string, name: string, stack = "dev"): string {
  return `urn:pulumi:${stack}::shop::${type}::${name}`;
}

/** A key of the npm package. */
export function npmKey(kind: "ApiKey" | "RotatingApiKey", name: string, outputs: object): TestResource {
  return { type: `${DYNAMIC}${kind}`, name, id: "handle", outputs };
}

/** A key of the plugin. */
export function pluginKey(kind: "ApiKey" | "RotatingApiKey", name: string, outputs: object): TestResource {
  return { type: `${PLUGIN}${kind}`, name, id: "handle", outputs };
}
