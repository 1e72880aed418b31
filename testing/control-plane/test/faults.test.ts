import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { Pool, request } from "undici";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ControlPlane, Fault } from "..";
import { send, startPlane } from "./support";

// The provider only sees what undici reports about a fault, so these tests use undici.

let plane: ControlPlane;
let pool: Pool;
let sentHeads = 0;
const count = (): void => {
  sentHeads += 1;
};

beforeEach(async () => {
  plane = await startPlane();
  pool = new Pool(new URL(plane.url).origin, { connections: 1, headersTimeout: 500, bodyTimeout: 500 });
  sentHeads = 0;
  subscribe("undici:client:sendHeaders", count);
});

afterEach(async () => {
  unsubscribe("undici:client:sendHeaders", count);
  await pool.destroy();
});

interface Observed {
  status?: number;
  /** The code or the name of the error with which the request or the reading of its body ended. */
  error?: string;
  headSent: boolean;
}

/** Sends POST /api_keys and returns what a client observes. */
async function observe(): Promise<Observed> {
  const observed: Observed = { headSent: false };
  try {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: "/api/v2/api_keys",
      headers: { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ key_name: "ci" }),
    });
    observed.status = statusCode;
    JSON.parse(await body.text());
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    // The parser's own codes say what was wrong in the text, which does not matter here.
    observed.error = name === "HTTPParserError" ? name : (code ?? name);
  }
  observed.headSent = sentHeads > 0;
  return observed;
}

test.each<[Fault, Omit<Observed, "headSent">, number]>([
  ["reset-before-body", { error: "ECONNRESET" }, 0],
  ["reset", { error: "ECONNRESET" }, 0],
  ["close", { error: "UND_ERR_SOCKET" }, 0],
  ["close-in-head", { error: "UND_ERR_SOCKET" }, 0],
  ["hang", { error: "UND_ERR_HEADERS_TIMEOUT" }, 0],
  ["garbage", { error: "HTTPParserError" }, 0],
  ["html", { status: 200, error: "SyntaxError" }, 0],
  ["truncate-length", { status: 200, error: "UND_ERR_SOCKET" }, 1],
  ["truncate-chunked", { status: 200, error: "UND_ERR_SOCKET" }, 1],
  ["truncate-close", { status: 200, error: "SyntaxError" }, 1],
  ["stall-body", { status: 200, error: "UND_ERR_BODY_TIMEOUT" }, 1],
])("with fault %s, a client that has sent its request observes %o", async (fault, seen, keys) => {
  await plane.rules.add({ route: "POST /api_keys", fault });
  expect(await observe()).toEqual({ ...seen, headSent: true });
  expect(await plane.liveKeys()).toHaveLength(keys);
  expect(await plane.log()).toMatchObject([{ status: "dropped", fault }]);
  expect(await observe()).toEqual(keys === 0 ? { status: 200, headSent: true } : { status: 409, headSent: true });
});

test.each<Fault>(["reset", "close", "close-in-head", "hang", "garbage", "html"])(
  "fault %s can hide a request that has taken effect, so that the key exists and its secret is lost",
  async (fault) => {
    await plane.rules.add({ route: "POST /api_keys", fault, commit: "before" });
    expect((await observe()).error).toBeDefined();
    expect(await plane.liveKeys()).toMatchObject([{ name: "ci", lastUsedAt: null }]);
    expect(await plane.log()).toMatchObject([{ status: "dropped", effects: [{ kind: "key-created", name: "ci" }] }]);
  },
);

test("a request whose connection is reset can take effect later, when nobody looks for its effect any more", async () => {
  await plane.rules.add({ route: "POST /api_keys", fault: "reset", commit: "late", lateMs: 30_000 });
  expect((await observe()).error).toBe("ECONNRESET");
  expect(await plane.liveKeys()).toEqual([]);
  await plane.clock.advance(30_000);
  expect(await plane.liveKeys()).toMatchObject([{ name: "ci" }]);
});

test.each<[Fault, RegExp]>([
  ["reset-on-connect", /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/],
  ["close-on-connect", /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/],
])("fault %s affects the connection before any request is read", async (fault, error) => {
  await plane.rules.add({ route: "*", fault });
  expect((await observe()).error).toMatch(error);
  expect(await plane.log()).toEqual([]);
  expect(await observe()).toMatchObject({ status: 200 });
});

test("a refused connection is an error before anything is sent, and control calls still work meanwhile", async () => {
  await plane.refuse();
  expect(await observe()).toEqual({ error: "ECONNREFUSED", headSent: false });
  const control = await request(`${plane.controlUrl}/keys`);
  expect([control.statusCode, await control.body.json()]).toEqual([200, []]);
  await plane.accept();
  expect(await observe()).toEqual({ status: 200, headSent: true });
});

test("refusing connections ends by itself after its time, and closes open connections", async () => {
  expect(await observe()).toMatchObject({ status: 200 });
  await plane.refuse(1_000);
  expect(await observe()).toMatchObject({ error: "ECONNREFUSED" });
  await expect.poll(observe, { interval: 5 }).toMatchObject({ status: 409 });
});

test("a rule can stop the service after a lost answer, so that the client cannot check the result at once", async () => {
  await plane.rules.add({ route: "POST /api_keys", fault: "reset", commit: "before", refuseMs: 1_000 });
  expect(await observe()).toMatchObject({ error: "ECONNRESET" });
  expect(await observe()).toMatchObject({ error: "ECONNREFUSED" });
  await expect.poll(observe, { interval: 5 }).toMatchObject({ status: 409 });
});

/** Everything that the server sends for a raw request until it closes the connection or stays silent. */
function raw(text: string): Promise<{ bytes: string; end: "end" | "reset" | "open" }> {
  return new Promise((resolve) => {
    let bytes = "";
    const socket = connect(Number(new URL(plane.url).port), "127.0.0.1", () => socket.write(text));
    const done = (end: "end" | "reset" | "open") => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ bytes, end });
    };
    const timer = setTimeout(done, 500, "open");
    socket.on("data", (data) => {
      bytes += data.toString();
    });
    socket.on("end", () => done("end"));
    socket.on("error", () => done("reset"));
  });
}

const head = () => `GET /api/v2/api_keys HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${plane.apiKey}\r\n\r\n`;

test.each<[Fault, "end" | "reset" | "open", RegExp]>([
  ["reset", "reset", /^$/],
  ["close", "end", /^$/],
  ["close-in-head", "end", /^HTTP\/1\.1 200 OK\r\nContent-Ty$/],
  ["hang", "open", /^$/],
  ["truncate-length", "end", /Content-Length: \d+\r\n\r\n\[\{"id".+[^\]]$/s],
  ["truncate-chunked", "end", /Transfer-Encoding: chunked\r\n\r\n[\da-f]+\r\n\[\{"id".+[^\]]\r\n$/s],
  ["truncate-close", "end", /Connection: close\r\n\r\n\[\{"id".+[^\]]$/s],
  ["stall-body", "open", /Content-Length: \d+\r\n\r\n\[\{"id".+[^\]]$/s],
  ["drip-body", "open", /Transfer-Encoding: chunked\r\n\r\n[\da-f]+\r\n\[\{"id".+[^\]]\r\n(1\r\n \r\n){2,}$/s],
])("fault %s ends a raw connection with %s", async (fault, end, bytes) => {
  await plane.rules.add({ route: "GET /api_keys", fault });
  const seen = await raw(head());
  expect(seen.end).toBe(end);
  expect(seen.bytes).toMatch(bytes);
});

test("a request that the client aborts half-way is not carried out", async () => {
  const text = head()
    .replace("GET", "POST")
    .replace("\r\n\r\n", "\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{");
  expect((await raw(text)).end).toBe("open");
  await expect.poll(async () => (await plane.log())[0]?.status, { interval: 5 }).toBe("dropped");
  expect(await plane.liveKeys()).toEqual([]);
  expect((await send(plane, "GET /api_keys")).status).toBe(200);
});
