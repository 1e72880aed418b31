import { setTimeout as sleep } from "node:timers/promises";
import { inFlight } from "./in-flight";
import { type OperationPage, Requests } from "./requests";
import type { Prepare, Task, Work } from "./task";

/** The service's rate on a limited route: a burst, then one request per interval. */
const RATE = { burst: 40, intervalMs: 25 } as const;

/** Each scenario with the fewest possible requests, using only undici. */
export const floor: Readonly<Record<string, Prepare>> = {
  async create(task) {
    const requests = await warm(task);
    return async () => {
      await requests.makeKeys(task.n, "key");
      await requests.listKeys();
    };
  },

  async refresh(task) {
    const requests = await warm(task);
    return () => requests.listKeys();
  },

  async rotate(task) {
    const requests = await warm(task);
    const old = await requests.makeKeys(task.n, "old");
    return async () => {
      await requests.makeKeys(task.n, "new");
      await requests.revokeKeys(old);
      await requests.listKeys();
    };
  },

  async retire(task) {
    const requests = await warm(task);
    const old = await requests.makeKeys(task.n, "old");
    await requests.makeKeys(task.n, "new");
    return async () => {
      await requests.listKeys();
      await requests.revokeKeys(old);
    };
  },

  async destroy(task) {
    const requests = await warm(task);
    const keys = await requests.makeKeys(task.n, "key");
    return async () => {
      await requests.revokeKeys(keys);
      await requests.listKeys();
    };
  },

  async "list-operations"(task) {
    const requests = await warm(task);
    return async () => {
      const path = `/projects/${task.operations[0]?.projectId}/operations?limit=1000`;
      let cursor = "";
      for (let count = 1; count > 0; ) {
        const { json } = await requests.send<OperationPage>("GET", path + cursor);
        count = json.operations.length;
        cursor = `&cursor=${encodeURIComponent(json.pagination?.cursor ?? "")}`;
      }
    };
  },

  async wait(task) {
    const requests = await warm(task);
    return async () => {
      const projects = [...new Set(task.operations.map(({ projectId }) => projectId))];
      await Promise.all(projects.map((id) => untilEnded(task, () => listPending(requests, id))));
    };
  },

  async outage(task) {
    const requests = await warm(task);
    return () => Promise.all(Array.from({ length: task.n }, () => requests.send("GET", "/projects/none")));
  },

  async faults(task) {
    const requests = await warm(task);
    const make = async (_: unknown, at: number): Promise<void> => {
      const name = `key-${at}`;
      try {
        await requests.send("POST", "/api_keys", { key_name: name });
      } catch {
        const lost = (await requests.listKeys()).filter((key) => key.name === name);
        await requests.revokeKeys(lost);
        await make(_, at);
      }
    };
    return async () => {
      await Promise.all(Array.from({ length: task.n }, make));
      await requests.listKeys();
    };
  },

  async storm(task) {
    const requests = await warm(task);
    const make = async (_: unknown, at: number) => {
      while ((await makeKey(requests, at)) === 429);
    };
    return async () => {
      await Promise.all(Array.from({ length: task.n }, make));
      await requests.listKeys();
    };
  },

  paced,
  "paced-learned": paced,
};

/** Sends each request when the service has a token for it. */
async function paced(task: Task): Promise<Work> {
  const requests = await warm(task);
  const { burst, intervalMs } = RATE;
  return async () => {
    const begun = performance.now();
    let sent = 0;
    await inFlight(Array.from({ length: task.n }), async (_, at) => {
      do {
        const due = begun + (++sent - burst) * intervalMs;
        await sleep(Math.max(0, due - performance.now()));
      } while ((await makeKey(requests, at)) === 429);
    });
    await requests.listKeys();
  };
}

/** Creates a key and returns the status. */
async function makeKey(requests: Requests, at: number): Promise<number> {
  return (await requests.send("POST", "/api_keys", { key_name: `key-${at}` })).status;
}

/** Polls until nothing is pending. */
export async function untilEnded({ pollIntervalMs }: Task, isPending: () => Promise<boolean>): Promise<void> {
  while (await isPending()) await sleep(pollIntervalMs);
}

async function listPending(requests: Requests, projectId: string): Promise<boolean> {
  const { json } = await requests.send<OperationPage>("GET", `/projects/${projectId}/operations?limit=20`);
  return json.operations.some(({ status }) => status === "scheduling" || status === "running");
}

/** Opens one connection and sends each kind of key request once, before the measurement. */
async function warm(task: Task): Promise<Requests> {
  const requests = new Requests(task);
  const made = await requests.makeKeys(1, "warm");
  await requests.listKeys();
  await requests.revokeKeys(made);
  return requests;
}
