import { Agent, fetch } from "undici";
import { untilEnded } from "./floor";
import { CONCURRENCY, type Prepare, type Task } from "./task";

/** The same concurrency as the other variants. */
const dispatcher = new Agent({ connections: CONCURRENCY });

/** Each scenario as a first attempt: one `fetch` request per verb and resource, and nothing shared. */
export const naive: Readonly<Record<string, Prepare>> = {
  async create(task) {
    await ask(task, "GET", "/projects?limit=1");
    return () => each(task, (at) => ask(task, "POST", "/api_keys", { key_name: `key-${at}` }));
  },

  async refresh(task) {
    await ask(task, "GET", "/projects?limit=1");
    return () => each(task, () => ask(task, "GET", "/api_keys"));
  },

  async rotate(task) {
    const keys = await makeKeys(task, "old");
    return async () => {
      await makeKeys(task, "new");
      await Promise.all(keys.map(({ id }) => ask(task, "DELETE", `/api_keys/${id}`)));
    };
  },

  async destroy(task) {
    const keys = await makeKeys(task, "key");
    return () => Promise.all(keys.map(({ id }) => ask(task, "DELETE", `/api_keys/${id}`)));
  },

  async wait(task) {
    await ask(task, "GET", "/projects?limit=1");
    const isPending = async ({ projectId, id }: Task["operations"][number]) => {
      const answer = await ask<{ operation: { status: string } }>(
        task,
        "GET",
        `/projects/${projectId}/operations/${id}`,
      );
      return ["scheduling", "running"].includes(answer.operation.status);
    };
    return () => Promise.all(task.operations.map((ref) => untilEnded(task, () => isPending(ref))));
  },

  async outage(task) {
    await ask(task, "GET", "/projects?limit=1");
    const persist = async () => {
      for (let attempt = 0; attempt < 6; attempt++) await ask(task, "GET", "/projects/none");
    };
    return () => each(task, persist);
  },
};

async function makeKeys(task: Task, prefix: string): Promise<readonly { readonly id: number }[]> {
  const make = (at: number) => ask<{ id: number }>(task, "POST", "/api_keys", { key_name: `${prefix}-${at}` });
  return each(task, make);
}

function each<T>({ n }: Task, work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: n }, (_, at) => work(at)));
}

async function ask<T>(task: Task, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${task.apiKey}`, "content-type": "application/json" };
  const content = body ? JSON.stringify(body) : null;
  const response = await fetch(task.url + path, { method, headers, body: content, dispatcher });
  return (await response.json()) as T;
}
