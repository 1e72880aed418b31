import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
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

it("the connection that watches the engine speaks HTTP/2, because an ending engine waits for the handshake", async () => {
  let sent = "";
  const server = createServer((socket) => socket.on("error", () => {}).on("data", (data) => (sent += data)));
  watch(await listen(server));
  await expect.poll(() => sent.slice(0, PREFACE.length)).toBe(PREFACE);
});

it("an engine that closes the connection but accepts another one is alive", async () => {
  const sessions: ServerHttp2Session[] = [];
  const server = createHttp2Server().on("session", (session) => sessions.push(session));
  const seen = watch(await listen(server));
  for (const count of [1, 2, 3]) {
    await expect.poll(() => sessions.length).toBe(count);
    if (count === 2) sessions.at(-1)?.goaway();
    else sessions.at(-1)?.destroy();
  }
  await expect.poll(() => sessions.length).toBe(4);
  expect(seen.deaths).toBe(0);
});

it("an engine whose connections close and that accepts no other one is gone, and this is said once", async () => {
  const server = createServer((socket) => socket.on("error", () => {}));
  const seen = watch(await listen(server));
  await expect.poll(() => sockets.length).toBe(1);
  expect(seen.deaths).toBe(0);
  server.close();
  for (const socket of sockets) socket.resetAndDestroy();
  await expect.poll(() => seen.deaths, { interval: 1 }).toBe(1);
});

it("an engine that was gone before the first connection is noticed", async () => {
  const server = createServer();
  const address = await listen(server);
  server.close();
  await once(server, "close");
  const seen = watch(address);
  await expect.poll(() => seen.deaths).toBe(1);
});

it("an engine that ends its server does not wait for the connection", async () => {
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

it("the connection does not keep the process alive", async () => {
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

it("a message is dropped if there is no engine, and does not fail the work that it reports", async () => {
  const link = new EngineLink("", () => {
    throw new Error("no connection can be made");
  });
  link.log("urn:pulumi:dev::app::t::ci", "info", "waiting");
  await expect(link.flush()).resolves.toBeUndefined();
});
