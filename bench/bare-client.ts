import { Pool } from "undici";
import { type Client, CONCURRENCY, type Task } from "./task";

interface Key {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
}

/** Each function with the fewest possible requests, using only undici. */
export const bareClient: Client = {
  async create(task) {
    const requests = await warm(task);
    return async () => {
      await requests.createKeys(task.n, "key");
      await requests.listKeys();
    };
  },

  async refresh(task) {
    const requests = await warm(task);
    await requests.createKeys(task.n, "key");
    return () => requests.listKeys();
  },

  async rotate(task) {
    const requests = await warm(task);
    const old = await requests.createKeys(task.n, "old");
    return async () => {
      await requests.createKeys(task.n, "new");
      await requests.revokeKeys(old);
      await requests.listKeys();
    };
  },

  async retire(task) {
    const requests = await warm(task);
    const old = await requests.createKeys(task.n, "old");
    await requests.createKeys(task.n, "new");
    return async () => {
      await requests.listKeys();
      await requests.revokeKeys(old);
    };
  },

  async destroy(task) {
    const requests = await warm(task);
    const keys = await requests.createKeys(task.n, "key");
    return async () => {
      await requests.revokeKeys(keys);
      await requests.listKeys();
    };
  },
};

/** Opens one connection and sends each kind of key request once, before the measurement. */
async function warm(task: Task): Promise<Requests> {
  const requests = new Requests(task);
  const made = await requests.createKeys(1, "warm");
  await requests.listKeys();
  await requests.revokeKeys(made);
  return requests;
}

/** Requests with undici only, with the connections that keyplane uses. */
export class Requests {
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #headers: Record<string, string>;

  constructor({ url, apiKey }: Task) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 });
    this.#prefix = pathname;
    this.#headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };
  }

  createKeys(n: number, prefix: string): Promise<readonly Key[]> {
    const names = Array.from({ length: n }, (_, at) => `${prefix}-${at}`);
    return Promise.all(names.map((name) => this.#send<Key>("POST", "/api_keys", { key_name: name })));
  }

  listKeys(): Promise<readonly Key[]> {
    return this.#send("GET", "/api_keys");
  }

  async revokeKeys(keys: readonly Key[]): Promise<void> {
    await Promise.all(keys.map(({ id }) => this.#send("DELETE", `/api_keys/${id}`)));
  }

  async #send<T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T> {
    const answer = await this.#pool.request({
      method,
      path: this.#prefix + path,
      headers: body === undefined ? this.#headers : { ...this.#headers, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return (await answer.body.json()) as T;
  }
}
