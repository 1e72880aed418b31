import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createServer as createHttp2Server,
  type Http2Server,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { EngineLink } from "../../../provider/session/engine-link";

/** What a client of HTTP/2 sends first. */
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.on("connection", (socket: Socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function watch(address: string): { deaths: number } {
  const seen = { deaths: 0 };
  const link = new EngineLink(address, () => {
    throw new Error("no message is sent");
  });
  link.watch(() => seen.deaths++);
  return seen;
}

test("the connection that watches the engine speaks HTTP/2, because an ending engine waits for the handshake", async () => {
  let sent = "";
  const server = createServer((socket) => socket.on("error", () => {}).on("data", (data) => (sent += data)));
  watch(await listen(server));
  await expect.poll(() => sent.slice(0, PREFACE.length)).toBe(PREFACE);
});

/** Answers like a running engine, and returns the paths of the calls, each with its connection. */
function answersAsEngine(server: Http2Server): { readonly path: unknown; readonly session: unknown }[] {
  const calls: { readonly path: unknown; readonly session: unknown }[] = [];
  server.on("stream", (stream, headers) => {
    calls.push({ path: headers[":path"], session: stream.session });
    stream.respond({ "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.alloc(5));
  });
  return calls;
}

test("an engine that closes the connection but answers on another one is alive", async () => {
  const sessions: ServerHttp2Session[] = [];
  const server = createHttp2Server().on("session", (session) => sessions.push(session));
  const calls = answersAsEngine(server);
  const seen = watch(await listen(server));
  for (const count of [1, 2, 3]) {
    await expect.poll(() => sessions.length, { timeout: 5_000 }).toBe(count);
    await expect.poll(() => calls.length).toBe(count - 1);
    if (count === 2) sessions.at(-1)?.goaway();
    else sessions.at(-1)?.destroy();
  }
  await expect.poll(() => calls.length, { timeout: 5_000 }).toBe(3);
  expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(["/pulumirpc.Engine/GetRootResource"]));
  expect(sessions).toHaveLength(4);
  expect(seen.deaths).toBe(0);
});

test.each<[string, (server: Http2Server) => void]>([
  ["closes all connections", (server) => server.on("session", (session) => session.destroy())],
  ["is another server of gRPC", (server) => answering(server, { "grpc-status": "12" })],
  ["is a server of HTTP", (server) => answering(server, { ":status": 404 })],
])("an engine is gone if what accepts connections at its address now %s", async (_, takeOver) => {
  const engine = createHttp2Server();
  const address = await listen(engine);
  const seen = watch(address);
  await expect.poll(() => sockets.length).toBe(1);
  engine.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  await once(engine, "close");
  const other = createHttp2Server();
  takeOver(other);
  servers.push(other);
  other.on("connection", (socket: Socket) => sockets.push(socket));
  other.listen(Number(address.split(":")[1]), "127.0.0.1");
  await expect.poll(() => seen.deaths, { timeout: 5_000 }).toBe(1);
  expect(sockets).toHaveLength(1);
});

function answering(server: Http2Server, headers: OutgoingHttpHeaders): void {
  server.on("stream", (stream) => stream.respond(headers, { endStream: true }));
}

test("an engine whose connections close and that accepts no other one is gone, and this is said once", async () => {
  const server = createServer((socket) => socket.on("error", () => {}));
  const seen = watch(await listen(server));
  await expect.poll(() => sockets.length).toBe(1);
  expect(seen.deaths).toBe(0);
  server.close();
  for (const socket of sockets) socket.resetAndDestroy();
  await expect.poll(() => seen.deaths, { interval: 1, timeout: 5_000 }).toBe(1);
});

test("an engine that was gone before the first connection is noticed", async () => {
  const server = createServer();
  const address = await listen(server);
  server.close();
  await once(server, "close");
  const seen = watch(address);
  await expect.poll(() => seen.deaths).toBe(1);
});

test("an engine that ends its server does not wait for the connection", async () => {
  const server = createHttp2Server();
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => sessions.push(session));
  watch(await listen(server));
  await expect.poll(() => sessions.length).toBe(1);
  const ended = once(server, "close");
  server.close();
  for (const session of sessions) session.close();
  await ended;
});

test("the connection does not keep the process alive", async () => {
  const sessions: ServerHttp2Session[] = [];
  const server = createHttp2Server().on("session", (session) => sessions.push(session));
  const address = await listen(server);
  const file = resolve("dist/provider/session/engine-link.js");
  const work = `new (require(${JSON.stringify(file)}).EngineLink)("${address}").watch(() => process.exit(3));`;
  const child = spawn(process.execPath, ["-e", `${work} setTimeout(() => {}, 300);`], { stdio: "ignore" });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(sessions).toHaveLength(1);
});

test("a message is dropped if there is no engine, and does not fail the work that it reports", async () => {
  const link = new EngineLink("", () => {
    throw new Error("no connection can be made");
  });
  link.log("urn:pulumi:dev::app::t::ci", "info", "waiting");
  await expect(link.flush()).resolves.toBeUndefined();
});
