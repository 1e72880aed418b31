import { ApiKey, RotatingApiKey } from "../provider/dynamic";
import { Requests } from "./bare-client";
import { type Client, CONCURRENCY, type Task } from "./task";

type Values = Record<string, unknown>;

interface Created {
  readonly id: string;
  readonly inputs: Values;
  readonly outs: Values;
}

const LONG_AGO = "2020-01-01T00:00:00Z";

/** Each function as Pulumi's host calls it, for 32 resources at a time. */
export const keyplane: Client = {
  async create(task) {
    await warm(task);
    return () => createKeys(task.n, "key");
  },

  async refresh(task) {
    await warm(task);
    await outdateList();
    // By another client, because a process that refreshes keys has not created them.
    const keys = await new Requests(task).createKeys(task.n, "key");
    const olds = await inFlight(keys, async ({ id, name, created_at: createdAt }) => {
      return { id: String(id), outs: { ...(await checked(ApiKey, name)), keyId: String(id), name, createdAt } };
    });
    return () => inFlight(olds, ({ id, outs }) => ApiKey.read?.(id, outs));
  },

  async rotate(task) {
    await warm(task);
    const old = await createKeys(task.n, "old");
    return async () => {
      await createKeys(task.n, "new");
      await revoke(old);
    };
  },

  async retire(task) {
    await warm(task);
    const old = await createKeys(task.n, "old");
    const fresh = await createKeys(task.n, "new", RotatingApiKey);
    const due = fresh.map(({ id, inputs, outs }, at) => {
      const { keyId: previousKeyId, name: previousName, key: previousKey } = old[at]?.outs ?? {};
      const previous = { previousKeyId, previousName, previousKey };
      const times = { rotatedAt: LONG_AGO, deliveredAt: LONG_AGO, retireAfter: LONG_AGO };
      return { id, inputs, outs: { ...outs, ...previous, ...times } };
    });
    return () => inFlight(due, ({ id, inputs, outs }) => RotatingApiKey.update?.(id, outs, inputs));
  },

  async destroy(task) {
    await warm(task);
    const keys = await createKeys(task.n, "key");
    await outdateList();
    return () => revoke(keys);
  },
};

/**
 * Opens one connection, calls each kind of key request once, and loads the module that shows messages. Pulumi's host
 * does all this long before the measured time.
 */
async function warm({ url, apiKey }: Task): Promise<void> {
  process.env.KEYPLANE_BASE_URL = url;
  process.env.KEYPLANE_API_KEY = apiKey;
  await import("@pulumi/pulumi/proto/engine_grpc_pb.js");
  // In an organization, so that the list that a process requests before its first creation is still to come.
  const created = await createKeys(1, "warm", ApiKey, { organizationId: "org-local-1" });
  for (const { id, outs } of created) await ApiKey.read?.(id, outs);
  await revoke(created);
}

/** A creation invalidates earlier lists. A command starts without a list. */
async function outdateList(): Promise<void> {
  await createKeys(1, "later");
}

function createKeys(n: number, prefix: string, type = ApiKey, scope: Values = {}): Promise<readonly Created[]> {
  const names = Array.from({ length: n }, (_, at) => `${prefix}-${at}`);
  return inFlight(names, async (name) => {
    const inputs = await checked(type, name);
    const { id, outs = {} } = await type.create({ ...inputs, ...scope });
    return { id, inputs, outs };
  });
}

/** The inputs of a resource as the engine saves them: with what the check has chosen for the name. */
async function checked(type: typeof ApiKey, name: string): Promise<Values> {
  const kind = type === ApiKey ? "ApiKey" : "RotatingApiKey";
  const resourceUrn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/keyplane:${kind}::${name}`;
  return { ...(await type.check?.({}, { resourceUrn }))?.inputs };
}

async function revoke(keys: readonly Created[]): Promise<void> {
  await inFlight(keys, async ({ id, outs }) => ApiKey.delete?.(id, outs));
}

/** Runs a limited number of concurrent calls, as an engine does with `--parallel`. */
async function inFlight<T, R>(items: readonly T[], call: (item: T) => R | Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const serve = async () => {
    for (const [at, item] of left) results[at] = await call(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, serve));
  return results;
}
