import { HostUnderTest } from "../test/contract/host-harness";
import { inFlight } from "./in-flight";
import { Requests } from "./requests";
import type { Prepare, Task, Work } from "./task";

type Values = Record<string, unknown>;

interface Made {
  readonly id: string;
  readonly outputs: Values;
}

/** Each scenario through Pulumi's own host: a separate process, called over gRPC as an engine does. */
export const host: Readonly<Record<string, Prepare>> = {
  create: (task) => withHost(task, async (provider) => () => makeKeys(provider, task.n, "key")),

  refresh: (task) =>
    withHost(task, async (provider) => {
      await outdateList(provider);
      const keys = await new Requests(task).listKeys();
      const made = await inFlight(keys, async ({ id, name, created_at: createdAt }) => {
        return { id: String(id), outputs: { ...(await checked(provider, name)), keyId: String(id), name, createdAt } };
      });
      return () => inFlight(made, ({ id, outputs }) => provider.read(id, outputs));
    }),

  rotate: (task) =>
    withHost(task, async (provider) => {
      const old = await makeKeys(provider, task.n, "old");
      return async () => {
        await makeKeys(provider, task.n, "new");
        await revoke(provider, old);
      };
    }),

  destroy: (task) =>
    withHost(task, async (provider) => {
      const keys = await makeKeys(provider, task.n, "key");
      await outdateList(provider);
      return () => revoke(provider, keys);
    }),
};

async function withHost(task: Task, prepare: (provider: HostUnderTest) => Promise<() => Promise<unknown>>) {
  const { PATH } = process.env;
  const config = { "keyplane:baseUrl": task.url, "keyplane:apiKey": task.apiKey };
  const provider = await HostUnderTest.start(config, { PATH });
  try {
    // One key, so that all code is loaded and one connection is open before the measurement. In an organization, so that
    // the list that a process requests before its first creation is still to come.
    await revoke(provider, await makeKeys(provider, 1, "warm", { organizationId: "org-local-1" }));
    const work: Work = await prepare(provider);
    return Object.assign(work, { end: () => provider.stop() });
  } catch (error) {
    await provider.stop();
    throw error;
  }
}

function makeKeys(provider: HostUnderTest, n: number, prefix: string, keyList: Values = {}): Promise<readonly Made[]> {
  const names = Array.from({ length: n }, (_, at) => `${prefix}-${at}`);
  return inFlight(names, async (name) => provider.create("ApiKey", { ...(await checked(provider, name)), ...keyList }));
}

/** The inputs of a key as the engine saves them: with the mark that the check has chosen. */
async function checked(provider: HostUnderTest, name: string): Promise<Values> {
  const { inputs } = await provider.check("ApiKey", {}, provider.base("ApiKey", name));
  return { ...provider.base("ApiKey", name), ...inputs };
}

/** A creation invalidates earlier lists. A command starts without a list. */
async function outdateList(provider: HostUnderTest): Promise<void> {
  await makeKeys(provider, 1, "later");
}

async function revoke(provider: HostUnderTest, keys: readonly Made[]): Promise<void> {
  await inFlight(keys, ({ id, outputs }) => provider.delete(id, outputs));
}
