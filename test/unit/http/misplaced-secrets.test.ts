import { afterEach, describe, expect, test } from "vitest";
import { HttpClient, type HttpRequest } from "../../../provider/http";
import { caught } from "./caught";
import { DrivenClock } from "./driven-clock";
import { answer, type RawServer, startRawServer } from "./raw-server";

const TOKEN = "Admin+0123456789/abcdefgh";

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(path = "") {
  server = await startRawServer((socket) => answer(socket, 200, []));
  const limits = { requestTimeoutMs: 2000, concurrency: 2, clock: new DrivenClock(), random: () => 0 };
  const client = new HttpClient({ baseUrl: server.baseUrl + path, apiKey: TOKEN, ...limits });
  return { client, server };
}

const REQUEST: HttpRequest = { method: "GET", route: "GET /things", path: "/things", replay: "safe" };

describe("a user who passes the API key as a name or an id", () => {
  const requests: [string, Partial<HttpRequest>][] = [
    ["the path", { path: `/things/${encodeURIComponent(TOKEN)}` }],
    ["the path, in base64", { path: `/things/${Buffer.from(TOKEN).toString("base64url")}` }],
    ["the query", { query: { search: TOKEN } }],
    ["the body", { method: "POST", body: { name: `ci-${TOKEN.toLowerCase()}` } }],
  ];
  test.each(requests)("gets an error, and nothing is sent, if it would be in %s", async (_, request) => {
    const { client, server } = await start();
    const error = await caught(client.request({ ...REQUEST, ...request }));
    expect(error).toMatchObject({ code: "KP-INPUT", message: expect.stringContaining("GET /things: a name, an id") });
    expect(String(error)).not.toContain("0123456789");
    expect(server.requests).toEqual([]);
  });

  test("gets an error, and nothing is sent, if it is in the base URL", async () => {
    const { client, server } = await start(`/${encodeURIComponent(TOKEN)}`);
    expect(await caught(client.request(REQUEST))).toMatchObject({ code: "KP-INPUT" });
    expect(server.requests).toEqual([]);
  });

  test("can still send a request with a key in its header", async () => {
    const { client } = await start();
    expect(await client.request({ ...REQUEST, credential: TOKEN })).toMatchObject({ status: 200 });
  });
});
