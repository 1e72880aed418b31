import { setTimeout as sleep } from "node:timers/promises";
import { Account } from "../provider/api";
import { ApiKey, RotatingApiKey } from "../provider/dynamic";
import * as functions from "../provider/functions";
import { resolveSettings } from "../provider/settings/settings";
import { inFlight } from "./in-flight";
import { Requests } from "./requests";
import type { Prepare, Task, Work } from "./task";

type Values = Record<string, unknown>;

interface Made {
  readonly id: string;
  readonly outs: Values;
}

/** Each scenario through the functions that Pulumi's host or a program calls. */
export const keyplane: Readonly<Record<string, Prepare>> = {
  create,

  async refresh(task) {
    await warm(task);
    await outdateList();
    const keys = await new Requests(task).listKeys();
    const olds = await inFlight(keys, async ({ id, name, created_at: createdAt }) => {
      return { id: String(id), outs: { ...(await checked(ApiKey, name)), keyId: String(id), name, createdAt } };
    });
    return () => inFlight(olds, ({ id, outs }) => ApiKey.read?.(id, outs));
  },

  async rotate(task) {
    await warm(task);
    const old = await makeKeys(task.n, "old");
    return async () => {
      await makeKeys(task.n, "new");
      await revoke(old);
    };
  },

  async retire(task) {
    await warm(task);
    const old = await makeKeys(task.n, "old");
    const fresh = await makeKeys(task.n, "new", RotatingApiKey);
    const LONG_AGO = "2020-01-01T00:00:00Z";
    const due = fresh.map(({ id, outs }, at) => {
      const { keyId: previousKeyId, name: previousName, key: previousKey } = old[at]?.outs ?? {};
      const previous = { previousKeyId, previousName, previousKey };
      const times = { rotatedAt: LONG_AGO, deliveredAt: LONG_AGO, retireAfter: LONG_AGO };
      return { id, outs: { ...outs, ...previous, ...times } };
    });
    return () => inFlight(due, ({ id, outs }) => RotatingApiKey.update?.(id, outs, inputsIn(outs)));
  },

  async destroy(task) {
    await warm(task);
    const keys = await makeKeys(task.n, "key");
    await outdateList();
    return () => revoke(keys);
  },

  async "list-operations"(task) {
    const account = await warm(task);
    const [{ projectId } = { projectId: "" }] = task.operations;
    return async () => {
      let first: number | undefined;
      let count = 0;
      for await (const _operation of functions.listOperations(account, { projectId })) {
        if (++count === 2000 && task.memory) first = heapInUse();
      }
      return first === undefined ? 0 : heapInUse() - first;
    };
  },

  async wait(task) {
    const account = await warm(task);
    return () => Promise.all(task.operations.map((ref) => account.operations.wait([ref])));
  },

  async outage(task) {
    const account = await warm(task);
    const call = () => functions.getProject(account, { id: "none" }).catch(() => undefined);
    return () => Promise.all(Array.from({ length: task.n }, call));
  },

  storm: create,
  faults: create,

  async paced(task) {
    // Users who reach the service through a tunnel set this. By default, no rates apply to a service on this machine.
    process.env.KEYPLANE_REQUESTS_PER_SECOND = "40";
    const work = await create(task);
    // Requests of the preparation must not count in the measured second.
    await sleep(2000);
    return work;
  },

  "paced-learned": create,
};

async function create(task: Task): Promise<Work> {
  await warm(task);
  return () => makeKeys(task.n, "key");
}

/**
 * Opens one connection, calls each kind of key request once, and loads the module that shows messages. Pulumi's host
 * does all this long before the measured time.
 */
async function warm(task: Task): Promise<Account> {
  process.env.KEYPLANE_BASE_URL = task.url;
  process.env.KEYPLANE_API_KEY = task.apiKey;
  const settings = resolveSettings(() => undefined);
  const account = Account.for(
    task.scenario === "wait" ? { ...settings, pollIntervalMs: task.pollIntervalMs } : settings,
  );
  // A wait uses another account with its own connections.
  await account.projects.list();
  await import("@pulumi/pulumi/proto/engine_grpc_pb.js");
  // In an organization, so that the list that a process requests before its first creation is still to come.
  const made = await makeKeys(1, "warm", ApiKey, { organizationId: "org-local-1" });
  for (const { id, outs } of made) await ApiKey.read?.(id, outs);
  await revoke(made);
  return account;
}

/** A creation invalidates earlier lists. A command starts without a list. */
async function outdateList(): Promise<void> {
  await makeKeys(1, "later");
}

async function makeKeys(n: number, prefix: string, type = ApiKey, keyList: Values = {}): Promise<readonly Made[]> {
  const names = Array.from({ length: n }, (_, at) => `${prefix}-${at}`);
  return inFlight(names, async (name) => {
    const { id, outs = {} } = await type.create({ ...(await checked(type, name)), ...keyList });
    return { id, outs };
  });
}

/** The inputs of a resource as the engine saves them: with the mark that the check has chosen. */
async function checked(type: typeof ApiKey, name: string): Promise<Values> {
  const { inputs } = (await type.check?.({}, { resourceUrn: urn(type, name) })) ?? {};
  return inputs ?? {};
}

const inputsIn = ({ resourceUrn, __suffix }: Values): Values => ({ resourceUrn, __suffix });

async function revoke(keys: readonly Made[]): Promise<void> {
  await inFlight(keys, async ({ id, outs }) => ApiKey.delete?.(id, outs));
}

function urn(type: typeof ApiKey, name: string): string {
  const kind = type === ApiKey ? "ApiKey" : "RotatingApiKey";
  return `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/keyplane:${kind}::${name}`;
}

/** Bytes in use after garbage collection. */
function heapInUse(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
