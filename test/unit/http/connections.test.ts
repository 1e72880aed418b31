import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HttpClient, type HttpRequest } from "../../../provider/http";
import { caught } from "./caught";
import { DrivenClock } from "./driven-clock";
import { answer, type RawServer, type Respond, startRawServer } from "./raw-server";

const TOKEN = "token-0123456789-abcdefgh";
const POST: HttpRequest = { method: "POST", route: "POST /things", path: "/things", body: {}, replay: "once" };
const GET: HttpRequest = { method: "GET", route: "GET /things", path: "/things", replay: "safe" };

let server: RawServer | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

async function start(respond: Respond, baseUrl?: string) {
  server = await startRawServer(respond);
  const clock = new DrivenClock();
  const client = new HttpClient({
    baseUrl: baseUrl ?? server.baseUrl,
    apiKey: TOKEN,
    requestTimeoutMs: 2000,
    concurrency: 2,
    clock,
    random: () => 0,
  });
  return { client, clock, server };
}

describe("connections", () => {
  it("C3: prove that nothing was sent if TLS cannot be set up, and are then not tried again", async () => {
    const { baseUrl } = await startRawServer(
      () => {},
      (socket) => socket.end("no TLS here\r\n"),
    );
    const { client, clock, server } = await start(() => {}, baseUrl.replace("http:", "https:"));
    const error = await caught(client.request(POST));
    expect(error).toMatchObject({ name: "TransportError", sent: false });
    expect(clock.sleeps).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it("go through the proxy of the environment, which sees neither the credential nor the request", async () => {
    const { server: proxy, client } = await start(
      (socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"),
      "https://service.invalid/api/v2",
    );
    vi.stubEnv("HTTPS_PROXY", new URL(proxy.baseUrl).origin);
    const error = await caught(client.request(POST));
    expect(error).toMatchObject({ name: "TransportError", sent: false });
    expect(proxy.requests[0]).toMatchObject({ method: "CONNECT", path: "service.invalid:443" });
    expect(JSON.stringify(proxy.requests)).not.toContain(TOKEN);
  });

  it("through a proxy that closes them without an answer are tried again as often as any others, and then not at all", async () => {
    const { server: proxy, client } = await start((socket) => socket.end(), "https://service.invalid/api/v2");
    vi.stubEnv("HTTPS_PROXY", new URL(proxy.baseUrl).origin);
    const error = await caught(client.request(POST));
    expect(error).toMatchObject({ name: "TransportError", sent: false });
    expect(String(error)).toContain("the proxy closed the connection");
    const tried = proxy.requests.length;
    expect(tried).toBeLessThan(10);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(proxy.requests).toHaveLength(tried);
  });

  it.each([
    ["an invalid port", "http://user:hunter2secret@proxy.invalid:99999"],
    ["a password that is not encoded", "http://user:hunter2/secret@proxy.invalid"],
    ["a broken encoding", "http://user:hunter2secret%zz@proxy.invalid"],
    ["no scheme", "user:hunter2secret@proxy.invalid:3128"],
    ["another scheme", "ftp://user:hunter2secret@proxy.invalid"],
  ])("through a proxy with %s are refused with the name of its variable and without the password", async (_, proxy) => {
    for (const name of ["HTTPS_PROXY", "http_proxy"]) {
      vi.unstubAllEnvs();
      vi.stubEnv(name, proxy);
      const { client } = await start(() => {}, "https://service.invalid/api/v2");
      const error = await caught(client.request(GET));
      expect(error).toMatchObject({
        code: "KP-CONFIG",
        message: expect.stringMatching(`^${name} is not the address`),
      });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("hunter2");
    }
  });

  it("to this machine bypass the proxy of the environment", async () => {
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:9");
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:9");
    const { client } = await start((socket) => answer(socket, 200, [1]));
    expect(await client.request(GET)).toMatchObject({ json: [1] });
  });

  it("end an answer that grows too long, and do not repeat its request", async () => {
    const part = Buffer.alloc(1 << 20, " ");
    const { client, server } = await start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n");
      for (let sent = 0; sent < 65; sent++) socket.write(part);
    });
    expect(await caught(client.request(GET))).toMatchObject({ name: "BadAnswerError" });
    expect(server.requests).toHaveLength(1);
  });
});
