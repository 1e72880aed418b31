import { randomUUID } from "node:crypto";
import { HostUnderTest } from "../test/contract/host-harness";
import { inFlight } from "./in-flight";
import { Requests } from "./requests";
import type { Prepare, Task, Work } from "./task";

const OWNER = "6f1d2c58-5a0b-4d5e-9a53-0c5a5b7d1e11";

type Values = Record<string, unknown>;

interface Made {
  readonly id: string;
  readonly outputs: Values;
}

/** Each scenario through Pulumi's own host: a separate process, called over gRPC as an engine does. */
export const host: Readonly<Record<string, Prepare>> = {
  create: (task) =>
    withHost(task, async (provider) => async () => {
      await sweep(provider, await makeKeys(provider, task.n, "key"));
    }),

  refresh: (task) =>
    withHost(task, async (provider) => {
      await outdateList(provider);
      const keys = await new Requests(task).listKeys();
      const made = keys.map(({ id, name, created_at: createdAt }) => {
        const outputs = { keyId: String(id), name, createdAt, owner: OWNER, ...provider.base("ApiKey", name) };
        return { id: String(id), outputs };
      });
      return () => inFlight(made, ({ id, outputs }) => provider.read(id, outputs));
    }),

  rotate: (task) =>
    withHost(task, async (provider) => {
      const old = await makeKeys(provider, task.n, "old");
      const { outputs } = await sweep(provider, old);
      return async () => {
        const fresh = await makeKeys(provider, task.n, "new");
        await revoke(provider, old);
        await provider.update("Ledger", "ledger", outputs, ledgerInputs(fresh));
      };
    }),

  destroy: (task) =>
    withHost(task, async (provider) => {
      const keys = await makeKeys(provider, task.n, "key");
      const { outputs } = await sweep(provider, keys);
      const owner = await provider.create("Owner", { project: "bench", stack: "dev" });
      await outdateList(provider);
      return async () => {
        await provider.delete("ledger", outputs);
        await revoke(provider, keys);
        await provider.delete(OWNER, owner.outputs);
      };
    }),
};

async function withHost(task: Task, prepare: (provider: HostUnderTest) => Promise<() => Promise<unknown>>) {
  const { PATH } = process.env;
  const config = { "keyplane:baseUrl": task.url, "keyplane:apiKey": task.apiKey };
  const provider = await HostUnderTest.start(config, { PATH });
  try {
    // One key, so that all code is loaded and one connection is open before the measurement.
    await revoke(provider, await makeKeys(provider, 1, "warm"));
    const work: Work = await prepare(provider);
    return Object.assign(work, { end: () => provider.stop() });
  } catch (error) {
    await provider.stop();
    throw error;
  }
}

function makeKeys(provider: HostUnderTest, n: number, prefix: string): Promise<readonly Made[]> {
  const names = Array.from({ length: n }, (_, at) => `${prefix}-${at}`);
  return inFlight(names, (name) => provider.create("ApiKey", { owner: OWNER, ...provider.base("ApiKey", name) }));
}

/** A creation invalidates earlier lists. A command starts without a list. */
async function outdateList(provider: HostUnderTest): Promise<void> {
  await provider.create("ApiKey", { owner: randomUUID(), ...provider.base("ApiKey", "later") });
}

async function revoke(provider: HostUnderTest, keys: readonly Made[]): Promise<void> {
  await inFlight(keys, ({ id, outputs }) => provider.delete(id, outputs));
}

function sweep(provider: HostUnderTest, keys: readonly Made[]): Promise<Made> {
  return provider.create("Ledger", ledgerInputs(keys));
}

function ledgerInputs(keys: readonly Made[]): Values {
  return { owner: OWNER, owned: keys.map(({ id }) => id) };
}
