import { Pool } from "undici";
import { CONCURRENCY, type Task } from "./task";

/** Requests with undici only, with the connections that keyplane uses. */
export class Requests {
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #headers: Record<string, string>;

  constructor({ url, apiKey }: Pick<Task, "url" | "apiKey">) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 });
    this.#prefix = pathname;
    this.#headers = { authorization: `Bearer ${apiKey}`, accept: "application/json" };
  }

  /** Sends one request and parses its response, whatever its status. */
  async send<T>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<{ status: number; json: T }> {
    const answer = await this.#pool.request({
      method,
      path: this.#prefix + path,
      headers: body === undefined ? this.#headers : { ...this.#headers, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.statusCode, json: (await answer.body.json()) as T };
  }

  /** Creates keys and returns their ids. */
  async makeKeys(n: number, prefix: string): Promise<{ id: number; name: string }[]> {
    const make = (_: unknown, at: number) => {
      return this.send<{ id: number; name: string }>("POST", "/api_keys", { key_name: `${prefix}-${at}` });
    };
    return (await Promise.all(Array.from({ length: n }, make))).map(({ json }) => json);
  }

  /** Lists all keys. */
  async listKeys(): Promise<{ id: number; name: string; created_at: string }[]> {
    return (await this.send<{ id: number; name: string; created_at: string }[]>("GET", "/api_keys")).json;
  }

  /** Revokes keys. */
  async revokeKeys(keys: readonly { readonly id: number }[]): Promise<void> {
    await Promise.all(keys.map(({ id }) => this.send("DELETE", `/api_keys/${id}`)));
  }
}

/** A list of operations as the service returns it. */
export interface OperationPage {
  readonly operations: readonly { readonly id: string; readonly status: string; readonly created_at: string }[];
  readonly pagination?: { readonly cursor: string };
}
