import { Socket } from "node:net";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseBaseUrl } from "../../../provider/base-url";
import { HttpClient, type HttpRequest } from "../../../provider/http";
import { openConnections } from "../../../provider/http/connections";
import { exchange } from "../../../provider/http/exchange";
import { proxyFor } from "../../../provider/http/proxy";
import { unreachable } from "../../../provider/http/unreachable";
import { caught } from "./caught";
import { DrivenClock } from "./driven-clock";
import { answer, type RawServer, type Respond, startRawServer } from "./raw-server";

const TOKEN = "token-0123456789-abcdefgh";
const POST: HttpRequest = { method: "POST", route: "POST /things", path: "/things", body: {}, replay: "once" };
const GET: HttpRequest = { method: "GET", route: "GET /things", path: "/things", replay: "safe" };

let server: RawServer | undefined;
beforeEach(() => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "ALL_PROXY"]) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});
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
  test("prove that nothing was sent if TLS cannot be set up, and are then not tried again", async () => {
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

  test("go through the proxy of the environment, which sees neither the credential nor the request", async () => {
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

  test("through a proxy that closes them without an answer are tried again as often as any others, and then not at all", async () => {
    const { server: proxy, client } = await start((socket) => socket.end(), "https://service.invalid/api/v2");
    vi.stubEnv("HTTPS_PROXY", new URL(proxy.baseUrl).origin);
    const error = await caught(client.request(POST));
    expect(error).toMatchObject({ name: "TransportError", sent: false });
    const tried = proxy.requests.length;
    expect(tried).toBeLessThan(10);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(proxy.requests).toHaveLength(tried);
  });

  test.each([
    ["an invalid port", "http://user:hunter2secret@proxy.invalid:99999"],
    ["a password that is not encoded", "http://user:hunter2/secret@proxy.invalid"],
    ["a broken encoding", "http://user:hunter2secret%zz@proxy.invalid"],
    ["a password that is not encoded, of digits", "http://user:12345/hunter2secret@proxy.invalid"],
    ["no scheme and a password that is not encoded", "user:hunter2/secret@proxy.invalid:3128"],
    ["another scheme", "ftp://user:hunter2secret@proxy.invalid"],
    ["the scheme of SOCKS", "socks5://user:hunter2secret@proxy.invalid:1080"],
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

  const refusing: Respond = (socket) => socket.end("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n");

  test.each([
    ["the service", "https://localhost:9"],
    ["a proxy", "https://service.invalid"],
  ])("give each address of %s seconds", async (_, baseUrl) => {
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:9");
    const connect = vi.spyOn(Socket.prototype, "connect");
    const { client } = await start(() => {}, baseUrl);
    await caught(client.request(POST));
    const [options] = [connect.mock.calls[0]?.[0]].flat();
    connect.mockRestore();
    expect(options).toMatchObject({ autoSelectFamilyAttemptTimeout: 2_500 });
  });

  test.each([
    ["a scheme", (address: string) => `http://${address}`],
    ["a scheme and a path", (address: string) => `http://${address}/`],
    ["no scheme", (address: string) => address],
  ])("use a proxy whose address has %s, with its user name and password", async (_, write) => {
    const { server: proxy, client } = await start(refusing, "https://service.invalid/api/v2");
    vi.stubEnv("HTTPS_PROXY", write(`us%40er:pass%2Fword@${new URL(proxy.baseUrl).host}`));
    await caught(client.request(POST));
    const basic = Buffer.from("us@er:pass/word").toString("base64");
    expect(proxy.requests[0]?.headers).toMatchObject({ "proxy-authorization": `Basic ${basic}` });
  });

  test.each([
    ["HTTPS_PROXY", { HTTPS_PROXY: "PROXY", HTTP_PROXY: "127.0.0.1:9" }],
    ["HTTP_PROXY", { HTTP_PROXY: "PROXY", HTTPS_PROXY: "" }],
    ["https_proxy", { https_proxy: "PROXY", HTTPS_PROXY: "127.0.0.1:9", ALL_PROXY: "127.0.0.1:9" }],
  ])("take their proxy from %s, which the error names with the address but without the password", async (name, env) => {
    const { server: proxy, client } = await start(refusing, "https://service.invalid/api/v2");
    const { host } = new URL(proxy.baseUrl);
    for (const [each, text] of Object.entries(env)) vi.stubEnv(each, text.replace("PROXY", `user:hunter2@${host}`));
    const error = await caught(client.request(POST));
    expect(error.message).toContain(`${host} (${name})`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("hunter2");
    expect(proxy.requests).not.toEqual([]);
  });

  test.each<[string, Respond | undefined, string, number]>([
    ["that is down", undefined, "ECONNREFUSED", 3],
    ["that requires a password", (socket) => socket.end("HTTP/1.1 407 No\r\n\r\n"), "PROXY_407", 1],
    ["that does not allow the service", (socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"), "PROXY_403", 1],
    ["that cannot reach the service", refusing, "PROXY_503", 3],
    ["that closes the connection", (socket) => socket.end(), "ECONNRESET", 3],
    ["that is something else", (socket) => socket.end("SSH-2.0\r\n\r\n"), "HPE_INVALID_CONSTANT", 3],
  ])(
    "through a proxy %s blame the proxy, and are tried again only if that can help",
    async (_, respond, code, tries) => {
      const { server: proxy, client, clock } = await start(respond ?? (() => {}), "https://service.invalid/api/v2");
      const { host } = new URL(proxy.baseUrl);
      vi.stubEnv("HTTPS_PROXY", `http://${host}`);
      if (respond === undefined) await proxy.close();
      const error = await caught(client.request(POST));
      expect(error).toMatchObject({ name: "TransportError", transportCode: code, sent: false });
      expect(error.message).toContain(`the proxy ${host} (HTTPS_PROXY)`);
      expect(error.message).not.toContain("no service listens");
      expect(clock.sleeps).toHaveLength(tries - 1);
    },
  );

  test("through a proxy that does not answer end in time, and blame the proxy", async () => {
    const { server: proxy } = await start(() => {});
    vi.stubEnv("HTTPS_PROXY", new URL(proxy.baseUrl).host);
    const base = { origin: "https://service.invalid", prefix: "", loopback: false };
    const connections = openConnections({ base, concurrency: 1, requestTimeoutMs: 50 });
    const outcome = await exchange(connections, {
      ...base,
      method: "POST",
      route: "POST /things",
      path: "/things",
      headers: {},
      body: "{}",
      requestId: "1",
      signal: new AbortController().signal,
      timeoutMs: 5000,
      timeoutAfterAbortMs: 5000,
    });
    const named = { address: new URL(proxy.baseUrl).host, variable: "HTTPS_PROXY" };
    expect(outcome).toMatchObject({ code: "ETIMEDOUT", sent: false, proxy: named });
  });

  test("count as not sent if the tunnel breaks before TLS is set up in it, and blame the service", async () => {
    const { server: proxy, client } = await start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", () => socket.resetAndDestroy());
    }, "https://service.invalid/api/v2");
    vi.stubEnv("HTTPS_PROXY", new URL(proxy.baseUrl).host);
    const error = await caught(client.request(POST));
    expect(error).toMatchObject({ name: "TransportError", transportCode: "ECONNRESET", sent: false });
    expect(error.message).toContain("service.invalid cannot be reached");
  });

  test("bypass the proxy if NO_PROXY names the host, and otherwise not", () => {
    vi.stubEnv("HTTPS_PROXY", "http://proxy.invalid");
    const used = (origin: string, list: string) => {
      vi.stubEnv("NO_PROXY", list);
      return proxyFor(parseBaseUrl(origin))?.address;
    };
    const host = "https://api.service.invalid";
    const bypassing = [
      "*",
      "api.service.invalid",
      "a.invalid, Service.invalid",
      ".service.invalid",
      "*.service.invalid",
    ];
    for (const list of [...bypassing, "service.invalid:443"])
      expect([list, used(host, list)]).toEqual([list, undefined]);
    for (const list of [
      "",
      "other.invalid",
      "vice.invalid",
      "x.api.service.invalid",
      "service.invalid:8443",
      ":443",
      ".",
    ]) {
      expect([list, used(host, list)]).toEqual([list, "proxy.invalid"]);
    }
    expect(used("https://service.invalid:8443", "service.invalid:8443")).toBeUndefined();
    expect(used("https://service.invalid:8443", "service.invalid:443")).toBe("proxy.invalid");
    expect(used("https://[2001:db8::1]", "[2001:db8::1]")).toBeUndefined();
  });

  test("that fail say that ALL_PROXY has no effect, unless the service is on this machine or another proxy is set", () => {
    vi.stubEnv("ALL_PROXY", "socks5://user:hunter2@proxy.invalid");
    const failure = { code: "ENETUNREACH", sent: false };
    const remedy = (host: string) => unreachable(failure, host, "the base URL", 1000).remedy;
    expect(remedy("service.invalid:8443")).toContain("ALL_PROXY");
    expect(remedy("service.invalid")).not.toContain("hunter2");
    expect(remedy("127.0.0.1:8080")).not.toContain("ALL_PROXY");
    vi.stubEnv("HTTPS_PROXY", "proxy.invalid");
    expect(remedy("service.invalid")).not.toContain("ALL_PROXY");
  });

  test("to this machine bypass the proxy of the environment", async () => {
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:9");
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:9");
    const { client } = await start((socket) => answer(socket, 200, [1]));
    expect(await client.request(GET)).toMatchObject({ json: [1] });
  });

  test("end an answer that grows too long, and do not repeat its request", async () => {
    const part = Buffer.alloc(1 << 20, " ");
    const { client, server } = await start((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n");
      for (let sent = 0; sent < 65; sent++) socket.write(part);
    });
    expect(await caught(client.request(GET))).toMatchObject({ name: "BadAnswerError" });
    expect(server.requests).toHaveLength(1);
  });
});
