import { readFileSync } from "node:fs";
import type { ReadList } from "../../../cli/report/place-keys";
import type { ApiKeyRecord } from "../../../provider/api";
import { accountMark } from "../../../provider/keys/account-fingerprint";
import { identityOf } from "../../../provider/keys/identity";
import { type Deployment, readDeployment } from "../../../provider/stack/deployment";

const baseUrl = "https://service.example/api/v2";

/** The mark of the account whose credential is this text. */
export const markOf = (apiKey: string): string => accountMark({ baseUrl, apiKey });

/** A list of keys, as a report requests it. */
export function listOf(keys: readonly Partial<ApiKeyRecord>[], list: Partial<ReadList> = {}): ReadList {
  const records = keys.map((key) => ({
    ...{ id: "1", name: "a", createdAt: "2026-11-01T00:00:00.000Z", lastUsedAt: null, lastUsedFromAddr: null },
    ...key,
  }));
  const origin = new URL(baseUrl).origin;
  return { account: undefined, organizationId: undefined, origin, mark: markOf("admin"), keys: records, ...list };
}

/** A resource of a test, with what a state has beside its type and name. */
export interface TestResource {
  readonly type: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** A state of a stack with these resources. */
export function deploymentOf(
  resources: readonly TestResource[],
  stack = "dev",
  time = "2026-11-20T00:00:00Z",
): Deployment {
  const wire = resources.map(({ type, name, ...members }) => ({
    urn: urnOf(type, name, stack),
    type,
    custom: true,
    ...members,
  }));
  return readDeployment(JSON.stringify({ version: 3, deployment: { manifest: { time }, resources: wire } }));
}

/** The URN of a resource in a test. */
export function urnOf(type: string, name: string, stack = "dev"): string {
  return `urn:pulumi:${stack}::shop::${type}::${name}`;
}

const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";

/** The owner of a stack of the npm package. */
export function ownerOf(id: string, stack = "dev"): TestResource {
  return { type: `${DYNAMIC}Owner`, name: "keyplane", id, outputs: { project: "shop", stack } };
}

/** A key of the npm package. */
export function npmKey(kind: "ApiKey" | "RotatingApiKey", name: string, owner: string, outputs: object): TestResource {
  return { type: `${DYNAMIC}${kind}`, name, id: "handle", outputs: { owner, ...outputs } };
}

/** A key of the plugin. */
export function pluginKey(
  kind: "ApiKey" | "RotatingApiKey",
  name: string,
  owner: string,
  outputs: object,
): TestResource {
  const type = `keyplane:index:${kind}`;
  const identity = identityOf(owner, undefined, urnOf(type, name));
  return { type, name, id: "handle", inputs: { __owner: identity }, outputs: { __owner: identity, ...outputs } };
}

/** A state that a former version recorded, and the keys of its account. */
export function recorded(folder: string): { readonly deployment: Deployment; readonly list: ReadList } {
  const file = (name: string) => readFileSync(`test/upgrade/${folder}/${name}.json`, "utf8");
  const { keys } = JSON.parse(file("control-plane")) as {
    keys: { live: { id: number; name: string; createdAt: number }[] };
  };
  const records = keys.live.map(({ id, name, createdAt }) => ({
    id: String(id),
    name,
    createdAt: new Date(createdAt).toISOString(),
  }));
  return { deployment: readDeployment(file("state")), list: listOf(records) };
}
