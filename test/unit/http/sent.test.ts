import type { Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import { exchange } from "../../../provider/http/exchange";
import type { Method } from "../../../provider/http/types";

type Handler = Dispatcher.DispatchHandler;

/** Ends or answers a request that was passed to the connections. */
type Act = (handler: Handler, start: () => void) => void;

/** Connections that the test controls. `start` announces the request, as undici does before it writes it. */
function connections(...acts: Act[]): Dispatcher & { readonly aborted: unknown[] } {
  const aborted: unknown[] = [];
  const dispatch = (_: unknown, handler: Handler) => {
    const controller = { abort: (reason: unknown) => aborted.push(reason) } as unknown as Dispatcher.DispatchController;
    acts.shift()?.(handler, () => handler.onRequestStart?.(controller, {}));
  };
  return { dispatch, aborted } as unknown as Dispatcher & { readonly aborted: unknown[] };
}

const controllerOf = undefined as unknown as Dispatcher.DispatchController;

/** An end with this error code, without a start unless one was announced before. */
const failing =
  (code: string): Act =>
  (handler) =>
    handler.onResponseError?.(controllerOf, Object.assign(new Error("over"), { code }));

const answering: Act = (handler, start) => {
  start();
  handler.onResponseStart?.(controllerOf, 200, { "content-type": "application/json" }, "OK");
  handler.onResponseData?.(controllerOf, Buffer.from("{}"));
  handler.onResponseEnd?.(controllerOf, {});
};

function send(to: Dispatcher, { method = "POST" as Method, signal = new AbortController().signal } = {}) {
  const route = `${method} /things`;
  const origin = "http://127.0.0.1:9";
  const attempt = { origin, path: "/things", method, route, headers: {}, body: undefined, requestId: "1" };
  return exchange(to, { ...attempt, signal, timeoutMs: 5_000, timeoutAfterAbortMs: 5_000 });
}

describe("a request that has failed", () => {
  // The same codes, because none shows whether anything was sent.
  const codes = ["ECONNREFUSED", "ECONNRESET", "ENETUNREACH", "EPROTO", "CERT_HAS_EXPIRED", "UND_ERR_SOCKET"];

  test.each(codes)("with %s counts as not sent if undici never announced it, also on new connections", async (code) => {
    expect(await send(connections(failing(code)))).toMatchObject({ code, sent: false });
  });

  test.each(codes)("with %s counts as sent if undici announced it", async (code) => {
    const to = connections((handler, start) => {
      start();
      failing(code)(handler, start);
    });
    expect(await send(to)).toMatchObject({ code, sent: true });
  });
});

describe("an aborted request", () => {
  const abortedAt = (act: (abort: () => void) => Act) => {
    const controller = new AbortController();
    const abort = () => controller.abort(new Error("enough"));
    return { act: act(abort), signal: controller.signal };
  };

  test("that changes something and was sent is finished, and its answer is used", async () => {
    const { act, signal } = abortedAt((abort) => (handler, start) => {
      start();
      abort();
      answering(handler, () => {});
    });
    const to = connections(act);
    expect(await send(to, { signal })).toMatchObject({ kind: "answer", status: 200 });
    expect(to.aborted).toEqual([]);
  });

  test("that reads is ended at once", async () => {
    const { act, signal } = abortedAt((abort) => (_, start) => {
      start();
      abort();
    });
    const to = connections(act);
    expect(await send(to, { signal, method: "GET" })).toMatchObject({ kind: "failure" });
    expect(to.aborted).toHaveLength(1);
  });

  test("that waits for its connection ends at once as not sent, and is never sent", async () => {
    let late = () => {};
    const { act, signal } = abortedAt((abort) => (_, start) => {
      late = start;
      abort();
    });
    const to = connections(act);
    expect(await send(to, { signal })).toMatchObject({ kind: "failure", sent: false });
    late();
    expect(to.aborted).toHaveLength(1);
  });
});
