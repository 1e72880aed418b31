import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Account } from "../provider/api";
import { ApiKey, Ledger, Owner } from "../provider/dynamic";
import * as functions from "../provider/functions";
import { resolveSettings } from "../provider/settings/settings";
import { inFlight } from "./in-flight";
import { Requests } from "./requests";
import type { Prepare, Task, Work } from "./task";

/** Each process is its own stack. With a shared owner, one process would sweep and revoke another's keys. */
const OWNER = randomUUID();

type Values = Record<string, unknown>;

interface Made {
  readonly id: string;
  readonly outs: Values;
}

/** Each scenario through the functions that Pulumi's host or a program calls. */
export const keyplane: Readonly<Record<string, Prepare>> = {
  create: makeAndSweep,

  async refresh(task) {
    await warm(task);
    await outdateList();
    const keys = await new Requests(task).listKeys();
    const olds = keys.map(({ id, name, created_at: createdAt }) => {
      const resourceUrn = urn(name);
      return { id: String(id), outs: { keyId: String(id), name, createdAt, owner: OWNER, resourceUrn } };
    });
    return () => inFlight(olds, ({ id, outs }) => ApiKey.read?.(id, outs));
  },

  async rotate(task) {
    await warm(task);
    const old = await makeKeys(task.n, "old");
    const { outs } = await sweep(old);
    return async () => {
      const fresh = await makeKeys(task.n, "new");
      await revoke(old);
      await Ledger.update?.("ledger", outs, ledgerInputs(fresh));
    };
  },

  async retire(task) {
    await warm(task);
    const old = await makeKeys(task.n, "old");
    const fresh = await makeKeys(task.n, "new");
    const inputs = ledgerInputs(fresh);
    const perOld = (value: (successor: string) => Values) =>
      Object.fromEntries(old.map(({ id }, at) => [id, value(String(fresh[at]?.id))]));
    const deliveries = perOld((successor) => ({ successor, deliveredAt: "2020-01-01T00:00:00Z" }));
    const previous = perOld((successor) => ({ successor, isRetired: true, periods: { gracePeriod: "1h" } }));
    return async () => Ledger.update?.("ledger", { ...inputs, deliveries }, { ...inputs, previous });
  },

  async destroy(task) {
    await warm(task);
    const keys = await makeKeys(task.n, "key");
    const { outs } = await sweep(keys);
    await outdateList();
    return async () => {
      await Ledger.delete?.("ledger", outs);
      await revoke(keys);
      await Owner.delete?.(OWNER, { resourceUrn: urn("keyplane") });
    };
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

  storm: makeAndSweep,
  faults: makeAndSweep,

  async paced(task) {
    // Users who reach the service through a tunnel set this. By default, no rates apply to a service on this machine.
    process.env.KEYPLANE_REQUESTS_PER_SECOND = "40";
    const work = await makeAndSweep(task);
    // Requests of the preparation must not count in the measured second.
    await sleep(2000);
    return work;
  },

  "paced-learned": makeAndSweep,
};

async function makeAndSweep(task: Task): Promise<Work> {
  await warm(task);
  return async () => {
    await sweep(await makeKeys(task.n, "key"));
  };
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
  const made = await makeKeys(1, "warm");
  for (const { id, outs } of made) await ApiKey.read?.(id, outs);
  await revoke(made);
  return account;
}

/** A creation invalidates earlier lists. A command starts without a list. */
async function outdateList(): Promise<void> {
  await ApiKey.create({ owner: randomUUID(), resourceUrn: urn("later") });
}

async function makeKeys(n: number, prefix: string): Promise<readonly Made[]> {
  const names = Array.from({ length: n }, (_, at) => `${prefix}-${at}`);
  return inFlight(names, async (name) => {
    const { id, outs = {} } = await ApiKey.create({ owner: OWNER, resourceUrn: urn(name) });
    return { id, outs };
  });
}

async function revoke(keys: readonly Made[]): Promise<void> {
  await inFlight(keys, async ({ id, outs }) => ApiKey.delete?.(id, outs));
}

async function sweep(keys: readonly Made[]): Promise<{ readonly outs: Values }> {
  const { outs } = await Ledger.create(ledgerInputs(keys));
  return { outs: outs ?? {} };
}

function ledgerInputs(keys: readonly Made[]): Values {
  return { owner: OWNER, owned: keys.map(({ id }) => id), resourceUrn: urn("keyplane") };
}

function urn(name: string): string {
  return `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/keyplane:ApiKey::${name}`;
}

/** Bytes in use after garbage collection. */
function heapInUse(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
