import { createServer, type Socket } from "node:net";

/** A request as it was received. */
export interface RawRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request by writing to its socket. `n` counts all requests from 0. */
export type Respond = (socket: Socket, request: RawRequest, n: number) => void;

/** A server whose tests control every byte of its answers. */
export interface RawServer {
  readonly baseUrl: string;
  readonly requests: readonly RawRequest[];
  close(): Promise<void>;
}

/** Starts a server on the loopback address. `onConnect` may end a connection before a request is read. */
export async function startRawServer(respond: Respond, onConnect?: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: RawRequest[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    onConnect?.(socket);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (let parsed = parse(received); parsed !== undefined; parsed = parse(received)) {
        received = parsed.rest;
        requests.push(parsed.request);
        respond(socket, parsed.request, requests.length - 1);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v2`,
    requests,
    close: () => {
      for (const each of sockets) each.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Writes a complete answer. An object is sent as JSON. */
export function answer(socket: Socket, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${text}`);
}

function parse(received: string): { request: RawRequest; rest: string } | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((each) => {
      const colon = each.indexOf(":");
      return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers["content-length"] ?? 0);
  if (received.length < end + 4 + length) return undefined;
  const [method = "", path = ""] = line.split(" ");
  const body = received.slice(end + 4, end + 4 + length);
  return { request: { method, path, headers, body }, rest: received.slice(end + 4 + length) };
}
