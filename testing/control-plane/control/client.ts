import type { ControlPlane } from "../control-plane";

/**
 * Sends a control call to a control plane and returns the response, over HTTP or directly to the app in this process.
 */
export type Transport = (request: Request) => Promise<Response> | Response;

type Fixed = "url" | "controlUrl" | "apiKey" | "close";

/**
 * Implements the calls of a control plane over a transport.
 * @param controlUrl - URL of the control endpoints.
 */
export function controlClient(controlUrl: string, transport: Transport): Omit<ControlPlane, Fixed> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await transport(new Request(controlUrl + path, init));
    const answer = (await response.json()) as T & { message?: string };
    if (!response.ok) throw new Error(`control plane: ${method} ${path}: ${answer.message}`);
    return answer;
  };
  const read = <T>(path: string): Promise<T> => call<T>("GET", path);
  const write = <T>(path: string, body: unknown = {}): Promise<T> => call<T>("POST", path, body);
  const act = async (method: string, path: string, body?: unknown): Promise<void> => {
    await call(method, path, body);
  };
  const query = (filter: object): URLSearchParams => {
    return new URLSearchParams(Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]));
  };
  return {
    log: (filter = {}) => read(`/log?${query(filter)}`),
    count: async (method, route) => {
      const filter = { ...(method ? { method } : {}), ...(route ? { route } : {}) };
      return (await read<{ count: number }>(`/count?${query(filter)}`)).count;
    },
    liveKeys: () => read("/keys"),
    secretsEverIssued: () => read("/secrets"),
    rules: {
      add: (rule) => write("/rules", rule),
      list: () => read("/rules"),
      remove: (id) => act("DELETE", `/rules/${id}`),
      clear: () => act("DELETE", "/rules"),
    },
    held: {
      list: () => read("/held"),
      wait: async (atLeast = 1, timeoutMs = 10_000) => {
        const held = await read<Awaited<ReturnType<ControlPlane["held"]["list"]>>>(
          `/held?atLeast=${atLeast}&timeoutMs=${timeoutMs}`,
        );
        if (held.length >= atLeast) return held;
        throw new Error(`control plane: ${held.length} instead of ${atLeast} requests are held after ${timeoutMs} ms`);
      },
      release: (seq) => write("/release", { seq }),
      drop: (seq) => write("/release", { seq, drop: true }),
    },
    commitLate: async () => (await write<{ committed: number }>("/late")).committed,
    clock: {
      read: () => read("/clock"),
      advance: (ms) => write("/clock/advance", { ms }),
      set: (settings) => write("/clock", settings),
    },
    state: {
      read: () => read("/state"),
      createKey: (name) => write("/keys", { name }),
      revokeKey: (id) => act("DELETE", `/keys/${id}`),
      useKey: (id, agoMs, address) => act("POST", `/keys/${id}`, { agoMs, address }),
      createProject: (seed) => write("/projects", seed),
      startOperations: (operations) => write("/operations", operations),
      endOperation: (id, outcome) => act("POST", `/operations/${id}`, { outcome }),
      switch: (switches) => write("/switches", switches),
    },
    refuse: (ms) => act("POST", "/refuse", { ms }),
    accept: () => act("POST", "/accept"),
    reset: () => act("POST", "/reset"),
  };
}
