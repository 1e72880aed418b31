import { Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { HttpClient, type HttpRequest } from "../../../provider/http";
import { caught } from "./caught";
import { DrivenClock } from "./driven-clock";
import { answer, type RawServer, type Respond, startRawServer } from "./raw-server";
import { startTunnels, trustTunnels } from "./tunnels";

const POST: HttpRequest = { method: "POST", route: "POST /things", path: "/things", body: {}, replay: "once" };
const GET: HttpRequest = { method: "GET", route: "GET /things", path: "/things", replay: "safe" };

const servers: RawServer[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const each of servers.splice(0)) await each.close();
});

/** Lets the next connections fail with this code before they are established. */
function failConnections(code: string, count: number) {
  const real = Socket.prototype.connect;
  let left = count;
  const fake = function (this: Socket, ...given: Parameters<Socket["connect"]>) {
    if (left-- <= 0) return real.apply(this, given);
    process.nextTick(() => this.destroy(Object.assign(new Error(`connect ${code}`), { code, syscall: "connect" })));
    return this;
  };
  vi.spyOn(Socket.prototype, "connect").mockImplementation(fake as typeof real);
}

/** Closes each connection after its answer, so that each request needs a new one. */
const closing: Respond = (socket) => answer(socket, 200, [], { connection: "close" });

async function start(way: Way, respond = closing) {
  const service = await startRawServer(respond);
  servers.push(service);
  const client = (baseUrl: string) =>
    new HttpClient({
      baseUrl,
      apiKey: "token-0123456789-abcdefgh",
      requestTimeoutMs: 2000,
      concurrency: 2,
      clock: new DrivenClock(),
      random: () => 0,
    });
  if (way === "directly") return { service, client: client(service.baseUrl) };
  trustTunnels();
  const proxy = await startTunnels(service);
  servers.push(proxy);
  vi.stubEnv("HTTPS_PROXY", new URL(proxy.baseUrl).origin);
  return { service, client: client("https://service.invalid/api/v2") };
}

type Way = "directly" | "through a proxy";
const ways: readonly Way[] = ["directly", "through a proxy"];
const codes = ["ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT", "ECONNRESET", "EPIPE", "EADDRNOTAVAIL", "EPROTO"];

describe.each(ways)("a change that is sent %s", (way) => {
  describe.each(["first", "later"])("as the %s request", (place) => {
    const begin = async () => {
      const started = await start(way);
      if (place === "later") await started.client.request(GET);
      return started;
    };

    test.each(codes)("is sent once after its connection failed with %s", async (code) => {
      const { client, service } = await begin();
      failConnections(code, 2);
      expect(await client.request(POST)).toMatchObject({ status: 200 });
      expect(service.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    });

    test.each(codes)("counts as not sent if each connection fails with %s", async (code) => {
      const { client, service } = await begin();
      failConnections(code, 9);
      expect(await caught(client.request(POST))).toMatchObject({
        name: code === "ETIMEDOUT" ? "TimeoutError" : "TransportError",
      });
      expect(service.requests.filter(({ method }) => method === "POST")).toEqual([]);
    });
  });

  test("counts as sent if its connection breaks after it was written", async () => {
    const { client, service } = await start(way, (socket) => socket.resetAndDestroy());
    expect(await caught(client.request(POST))).toMatchObject({ name: "AnswerLostError" });
    expect(service.requests).toHaveLength(1);
  });
});
