import type { Socket } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { AccountSettings } from "../../../provider/account-settings";
import type { AnswerLostError, ApiError, TransportError } from "../../../provider/errors";
import { HttpClient, type HttpRequest } from "../../../provider/http";
import { HOUR } from "../../times";
import { caught } from "./caught";
import { DrivenClock } from "./driven-clock";
import { answer, type RawServer, type Respond, startRawServer } from "./raw-server";

const TOKEN = "token-0123456789-abcdefgh";

const GET: HttpRequest = { method: "GET", route: "GET /things", path: "/things", replay: "safe" };
const POST: HttpRequest = { method: "POST", route: "POST /things", path: "/things", body: { a: 1 }, replay: "once" };

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

interface StartOptions extends Pick<AccountSettings, "account" | "apiKeyFrom"> {
  readonly onConnect?: (socket: Socket) => void;
  readonly concurrency?: number;
}

async function start(respond: Respond, { onConnect, concurrency = 4, ...options }: StartOptions = {}) {
  server = await startRawServer(respond, onConnect);
  const clock = new DrivenClock();
  const client = new HttpClient({
    baseUrl: server.baseUrl,
    apiKey: TOKEN,
    requestTimeoutMs: 300,
    concurrency,
    ...options,
    clock,
    random: () => 0.5,
  });
  return { client, clock, server };
}

const head = (rest: string) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${rest}`;

/** All outcomes after which the request may or may not have been applied. */
const LOSSES: [string, Respond, ((socket: Socket) => void)?][] = [
  ["a connection closed on accept", () => {}, (socket) => socket.destroy()],
  ["a reset after the request", (socket) => socket.resetAndDestroy()],
  ["a close after the request", (socket) => socket.end()],
  ["half a header", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-ty")],
  ["silence", () => {}],
  ["a garbage status line", (socket) => socket.end("HELLO WORLD\r\n\r\n")],
  ["a body cut short of its length", (socket) => socket.end(head('content-length: 50\r\n\r\n{"id":1'))],
  ["a chunked body cut off", (socket) => socket.end(head('transfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n'))],
  ["a stalled body", (socket) => socket.write(head('content-length: 50\r\n\r\n{"id":1'))],
  ["a body without length, cut", (socket) => socket.end(head('connection: close\r\n\r\n{"id":1'))],
  ["a page of HTML", (socket) => answer(socket, 200, "<html>", { "content-type": "text/html" })],
  ["an empty body", (socket) => answer(socket, 200, "")],
  ["a status 500", (socket) => answer(socket, 500, { code: "", message: "oops" })],
  ["a status 502 with a body cut off", (socket) => socket.end("HTTP/1.1 502 Bad\r\ncontent-length: 9\r\n\r\nabc")],
  ["a status 503", (socket) => answer(socket, 503, "busy")],
  ["a status 504", (socket) => answer(socket, 504, "")],
  ["a status 408", (socket) => answer(socket, 408, "")],
  ["a status 303", (socket) => answer(socket, 303, "", { location: "/elsewhere" })],
];

const stalled = (socket: Socket) => socket.write(head('content-length: 50\r\n\r\n{"id":1'));
const dripping = (socket: Socket) => {
  socket.write(head("transfer-encoding: chunked\r\n\r\n"));
  const drops = setInterval(() => socket.write("1\r\n \r\n"), 20);
  socket.on("close", () => clearInterval(drops));
};

test.each<[string, Respond, string, RegExp]>([
  [
    "a body cut short",
    (socket) => socket.end(head("content-length: 9\r\n\r\n{")),
    "transport",
    /not answered completely/,
  ],
  ["a stalled body", stalled, "timeout", /was not answered in time: /],
  ["a dripping body", dripping, "timeout", /did not answer completely in time .TimeoutError/],
  ["invalid JSON", (socket) => answer(socket, 200, "{"), "bad_answer", /INVALID_JSON.*is the address of the service/],
])("after %s, the error names the connection only if that failed", async (_, respond, kind, words) => {
  const { client } = await start(respond);
  const error = await caught(client.request({ ...GET, timeoutMs: 900 }));
  expect([error, error.message]).toMatchObject([{ kind, route: GET.route }, expect.stringMatching(words)]);
});

describe("a request that must be sent only once", () => {
  for (const [name, respond, onConnect] of LOSSES) {
    test(`is not sent again after ${name}, but reported as lost`, async () => {
      const { client, server, clock } = await start(respond, onConnect ? { onConnect } : {});
      const error = await caught<AnswerLostError>(client.request(POST));
      expect(error).toMatchObject({ name: "AnswerLostError", kind: "answer_lost", route: "POST /things" });
      expect(server.requests.length).toBeLessThanOrEqual(1);
      expect(clock.sleeps).toEqual([]);
    });
  }

  test("is tried again as long as it was provably not sent", async () => {
    const { client, clock, server } = await start(() => {});
    await server.close();
    const error = await caught<TransportError>(client.request(POST));
    expect(error).toMatchObject({ kind: "transport", transportCode: "ECONNREFUSED", sent: false });
    expect(clock.sleeps).toEqual([125, 250]);
  });

  const pauses: [number, number[]][] = [
    [423, [500, 1000, 2000, 4000]],
    [429, [50, 100, 200, 400]],
  ];
  for (const [status, sleeps] of pauses) {
    test(`is sent again after ${status}, which means that nothing was done`, async () => {
      const { client, clock, server } = await start((socket, _, n) => {
        answer(socket, n < 4 ? status : 200, n < 4 ? "busy" : { id: 1 });
      });
      const { json } = await client.request(POST);
      expect(json).toEqual({ id: 1 });
      expect(new Set(server.requests.map((each) => each.body))).toEqual(new Set(['{"a":1}']));
      expect(clock.sleeps).toEqual(sleeps);
    });
  }

  test.each([-3, 0, 3])(
    "is sent again when a service whose clock is %d hours ahead asks for it by a date",
    async (hours) => {
      const dateIn = (clock: DrivenClock, ms: number) => new Date(clock.now() + hours * HOUR + ms).toUTCString();
      const { client, clock } = await start((socket, _, n) => {
        const headers = { date: dateIn(clock, 0), "retry-after": dateIn(clock, 30_000) };
        if (n === 0) answer(socket, 429, "busy", headers);
        else answer(socket, 200, { id: 1 });
      });
      expect(await client.request(POST)).toMatchObject({ json: { id: 1 } });
      expect(clock.sleeps).toEqual([30_000]);
    },
  );

  test("is finished if it is aborted after it was sent, because the answer contains the result", async () => {
    const controller = new AbortController();
    const { client } = await start((socket) => {
      controller.abort();
      setImmediate(() => answer(socket, 200, { id: 1 }));
    });
    expect(await client.request({ ...POST, signal: controller.signal })).toMatchObject({ json: { id: 1 } });
  });

  test("is reported as lost and not as aborted if it is aborted after it was sent and its answer is lost", async () => {
    const controller = new AbortController();
    const { client, server } = await start((socket) => {
      controller.abort();
      setImmediate(() => socket.resetAndDestroy());
    });
    const error = await caught(client.request({ ...POST, signal: controller.signal }));
    expect(error.name).toBe("AnswerLostError");
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ["POST", "AnswerLostError", ""],
    ["DELETE", "AbortedError", "The service may have applied it."],
  ] as const)(
    "a %s has the request timeout left after an abort, even while its answer drips",
    async (method, name, done) => {
      const controller = new AbortController();
      let drops: NodeJS.Timeout | undefined;
      const { client, server } = await start((socket) => {
        socket.write(head("transfer-encoding: chunked\r\n\r\n"));
        drops = setInterval(() => socket.write("1\r\n \r\n"), 20);
        controller.abort();
      });
      const begun = performance.now();
      const request = { ...POST, method, replay: method === "POST" ? "once" : "safe", timeoutMs: 20_000 } as const;
      const error = await caught(client.request({ ...request, signal: controller.signal }));
      clearInterval(drops);
      expect(error.name).toBe(name);
      expect(error.message).toContain(done);
      expect(server.requests).toHaveLength(1);
      const elapsed = performance.now() - begun;
      expect(elapsed).toBeGreaterThan(250);
      expect(elapsed).toBeLessThan(10_000);
    },
  );

  test("reports why it was refused even if it was aborted in the meantime", async () => {
    const controller = new AbortController();
    const { client } = await start((socket) => {
      controller.abort();
      setImmediate(() => answer(socket, 400, { code: "", message: "no such thing" }));
    });
    const error = await caught(client.request({ ...POST, signal: controller.signal }));
    expect(error.message).toContain("no such thing");
  });

  test.each([423, 429])("is not sent again if it is aborted before the answer %d", async (status) => {
    const controller = new AbortController();
    const { client, clock, server } = await start((socket) => {
      controller.abort(new Error("the run was cancelled"));
      setImmediate(() => answer(socket, status, ""));
    });
    const error = await caught(client.request({ ...POST, signal: controller.signal }));
    expect(error.name).toBe("AbortedError");
    expect(error.message).toContain("POST /things was aborted: the run was cancelled. Nothing was changed.");
    expect(server.requests).toHaveLength(1);
    expect(clock.sleeps).toEqual([]);
  });

  test("is lost if its answer does not arrive before its deadline", async () => {
    const { client } = await start(() => {});
    const error = await caught(client.request({ ...POST, timeoutMs: 1_000 }));
    expect(error).toMatchObject({ name: "AnswerLostError" });
  });
});

describe("a request that may be repeated", () => {
  // A request is not repeated after a complete but unusable answer, and waits longer after 503. Undici's timeouts are left
  // out, because each takes a second.
  const failing = LOSSES.filter(([name]) => !/HTML|303|503|silence|stalled/.test(name));
  for (const [name, respond, onConnect] of failing) {
    test(`is tried three times if it meets ${name}`, async () => {
      let connections = 0;
      const count = (socket: Socket) => {
        connections++;
        onConnect?.(socket);
      };
      const { client, clock } = await start(respond, { onConnect: count });
      await caught(client.request(GET));
      expect(clock.sleeps).toEqual([125, 250]);
      expect(connections).toBeGreaterThanOrEqual(1);
    });
  }

  test("succeeds at the third attempt", async () => {
    const { client } = await start((socket, _, n) => (n < 2 ? socket.destroy() : answer(socket, 200, [1])));
    expect(await client.request(GET)).toMatchObject({ json: [1] });
  });

  test("is not repeated if the answer would be the same", async () => {
    const { client, server } = await start((socket) => answer(socket, 200, "<p>", { "content-type": "text/html" }));
    expect(await caught(client.request(GET))).toMatchObject({ name: "BadAnswerError", status: 200 });
    expect(server.requests).toHaveLength(1);
  });

  test("reports with a refusal whether an earlier attempt may have been applied", async () => {
    for (const first of [500, 503]) {
      const { client } = await start((socket, _, n) => answer(socket, n === 0 ? first : 404, ""));
      expect(await caught(client.request(GET))).toMatchObject({ status: 404, afterLost: first === 500 });
      await server?.close();
    }
  });

  test("waits at least as long as the service requests", async () => {
    const { client, clock } = await start((socket, _, n) => {
      answer(socket, n === 0 ? 429 : 200, {}, { "retry-after": "7" });
    });
    await client.request(GET);
    expect(clock.sleeps).toEqual([7000]);
  });

  test("fails at once if the service requests a wait past the deadline", async () => {
    const { client, clock, server } = await start((socket) => answer(socket, 503, {}, { "retry-after": "300" }));
    const error = await caught(client.request(GET));
    expect(error).toMatchObject({ kind: "rate_limit", status: 503 });
    expect(error.message).toContain("wait 300 s");
    expect(clock.sleeps).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test("shares a budget of retries, so that an outage costs only a few requests more than there are calls", async () => {
    const { client, server } = await start((socket) => answer(socket, 500, ""), { concurrency: 16 });
    const calls = Array.from({ length: 300 }, () => caught(client.request(GET)));
    await Promise.all(calls);
    expect(server.requests.length).toBeLessThanOrEqual(300 + 36);
    expect(server.requests.length).toBeGreaterThan(300);
  });
});

describe("refusals", () => {
  const cases: [number, string, RegExp][] = [
    [400, "api", /400 Bad Request/],
    [401, "auth", /keyplane:apiKey/],
    [403, "auth", /does not have this permission/],
    [404, "not_found", /404 Not Found/],
    [409, "conflict", /409 Conflict/],
    [410, "not_found", /410 Gone/],
    [422, "api", /422/],
    [301, "api", /does not follow redirects/],
    [307, "api", /does not follow redirects/],
  ];
  for (const [status, kind, words] of cases) {
    test(`with ${status} are final for any method and are of kind ${kind}`, async () => {
      const { client, server } = await start((socket) => {
        answer(socket, status, { code: "", message: "no" }, { location: "/elsewhere" });
      });
      for (const request of [GET, POST]) {
        const error = await caught<ApiError>(client.request(request));
        expect(error).toMatchObject({ name: "ApiError", kind, status, serviceMessage: "no" });
        expect(error.message).toMatch(words);
      }
      expect(server.requests).toHaveLength(2);
    });
  }

  test.each([
    ["environment", undefined, /KEYPLANE_API_KEY/, /keyplane:apiKey|--run-program/],
    ["environment", "eu", /KEYPLANE_ACCOUNTS/, /keyplane:accounts|--run-program/],
    ["config", undefined, /keyplane:apiKey.*removed.*`pulumi up`.*--run-program/, /KEYPLANE_API_KEY/],
    ["config", "eu", /keyplane:accounts\.eu\.apiKey.*--run-program/, /KEYPLANE_ACCOUNTS/],
  ] as const)("with 401 name only the source of the key, the %s, of the account %s", async (...given) => {
    const [apiKeyFrom, account, source, others] = given;
    const { client } = await start((socket) => answer(socket, 401, { code: "", message: "no" }), {
      account,
      apiKeyFrom,
    });
    const { message } = await caught<ApiError>(client.request(GET));
    expect(message).toMatch(source);
    expect(message).not.toMatch(others);
  });

  test("quote the service in one printable line of at most 200 characters, without any secret", async () => {
    const message = `${"x".repeat(20)} \u001b[31mred\u202e ${TOKEN} ${"k1".repeat(32)} ${"y ".repeat(500)}`;
    const { client } = await start((socket) => answer(socket, 400, { code: "BAD", message, request_id: "r-1" }));
    const error = await caught<ApiError>(client.request(GET));
    for (const text of [error.message, error.serviceMessage]) {
      expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(text).not.toContain("k1".repeat(20));
    }
    for (const text of [error.message, String(error.stack)]) expect(text).not.toContain(TOKEN);
    expect(Array.from(error.serviceMessage).length).toBeLessThanOrEqual(220);
    expect(error.requestId).toBe("r-1");
    expect(error.cause).toBeUndefined();
  });

  test.each([
    ["in the middle", `the key ${TOKEN} is wrong`],
    ["at the position where the message is cut", `${"x ".repeat(80)}${TOKEN}`],
    ["in the header of a user and a password", `Basic ${Buffer.from(`me:${TOKEN}`).toString("base64")}`],
    ["in upper case", TOKEN.toUpperCase()],
  ])("show no part of a secret in any field if the service repeats it %s", async (_, message) => {
    const { client } = await start((socket) => answer(socket, 400, { code: TOKEN, message, request_id: TOKEN }));
    const error = await caught<ApiError>(client.request(GET));
    const fields = `${inspect(error, { depth: 9, showHidden: true })}${error.message}${error.stack}`;
    expect(error.serviceMessage).toContain("[secret]: ");
    expect(fields).not.toContain(TOKEN.slice(0, 8));
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    if (!message.includes(TOKEN)) expect(fields).not.toContain(message.slice(0, 24));
  });
});

describe("an error", () => {
  test("names the request with its ids and the host", async () => {
    const { client, server } = await start((socket) => answer(socket, 404, { code: "", message: "not found" }));
    const { host } = new URL(server.baseUrl);
    const request = { ...GET, route: "GET /things/{thing_id}", path: "/things/7" };
    const error = await caught(client.request(request));
    expect(error.message).toContain(`GET /things/7 at ${host} returned 404 Not Found`);
    expect(error.message).toContain("Check the id, and that keyplane:apiKey belongs to the right account");
    // Resources without an id always exist.
    expect((await caught(client.request(POST))).message).toContain(
      "Check the path of keyplane:baseUrl: it usually ends in /api/v2",
    );
  });

  test("explains the code of a transport error", async () => {
    const { client, server } = await start(() => {});
    const { host } = new URL(server.baseUrl);
    await server.close();
    const error = await caught(client.request(POST));
    expect(error.message).toContain(
      `POST /things at ${host} could not be sent: no service listens at ${host} (ECONNREFUSED)`,
    );
    expect(error.message).toContain("Check the host and port in keyplane:baseUrl");
  });

  test("describes the content of a successful answer that is not usable", async () => {
    const html = { "content-type": "text/html; charset=utf-8" };
    const { client } = await start((socket) => answer(socket, 200, "<html>", html));
    const problem = "200 OK with a body that is not JSON (text/html; charset=utf-8)";
    expect((await caught(client.request(GET))).message).toContain(`returned ${problem}`);
    expect((await caught(client.request(POST))).message).toContain(`was sent, but returned ${problem}`);
  });
});

describe("a client", () => {
  test("sends JSON with a credential, an agent and a request id, which errors name", async () => {
    const { client, server } = await start((socket) => answer(socket, 404, ""));
    const error = await caught<ApiError>(client.request({ ...POST, query: { cursor: "a b&c", limit: undefined } }));
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: "/api/v2/things?cursor=a+b%26c", body: '{"a":1}' });
    expect(request?.headers).toMatchObject({
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${TOKEN}`,
      "x-request-id": error.requestId,
    });
    expect(request?.headers["user-agent"]).toMatch(/^keyplane\/\d/);
    expect(request?.headers["accept-encoding"]).toBeUndefined();
    expect(error.message).toContain(String(error.requestId));
  });

  test("never has more than the allowed number of requests in flight", async () => {
    let waiting: Socket[] = [];
    let most = 0;
    const { client } = await start(
      (socket) => {
        waiting.push(socket);
        most = Math.max(most, waiting.length);
        if (waiting.length < 3) return;
        // All requests that may be in flight have arrived. A fourth one would arrive before the answers.
        setTimeout(() => {
          const answered = waiting;
          waiting = [];
          for (const each of answered) answer(each, 200, {});
        }, 5);
      },
      { concurrency: 3 },
    );
    await Promise.all(Array.from({ length: 12 }, () => client.request(GET)));
    expect(most).toBe(3);
  });

  test("sends nothing after an abort, and ends every call", async () => {
    const { client, server } = await start(() => {}, { concurrency: 1 });
    const calls = [client.request(GET), client.request(POST), client.request(GET)].map(caught);
    while (server.requests.length === 0) await new Promise(setImmediate);
    client.abort(new Error("the engine is gone"));
    const errors = await Promise.all(calls);
    expect(errors.map((each) => each.name)).toEqual(["AbortedError", "AbortedError", "AbortedError"]);
    expect(errors[1]?.message).toContain("the engine is gone. Nothing was changed.");
    await caught(client.request(POST));
    await caught(client.sleep(10));
    expect(server.requests).toHaveLength(1);
  });

  test("removes a cancelled request from the queue", async () => {
    const controller = new AbortController();
    const { client, server } = await start(() => {}, { concurrency: 1 });
    const first = caught(client.request({ ...GET, timeoutMs: 40 }));
    const second = caught(client.request({ ...POST, signal: controller.signal }));
    controller.abort();
    expect((await second).name).toBe("AbortedError");
    await first;
    expect(server.requests.filter((each) => each.method === "POST")).toEqual([]);
  });

  test("ends a pause between attempts at once if the request is cancelled", async () => {
    const controller = new AbortController();
    const { client, clock, server } = await start((socket) => {
      answer(socket, 503, "");
      setImmediate(() => setImmediate(() => controller.abort()));
    });
    (clock as { auto: boolean }).auto = false;
    const error = await caught(client.request({ ...GET, signal: controller.signal }));
    expect(error.name).toBe("AbortedError");
    expect(clock.sleeping).toBe(0);
    expect(server.requests).toHaveLength(1);
  });
});
