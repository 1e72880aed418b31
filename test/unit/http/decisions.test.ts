import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffMs, CAP_MS, nextDelay, type RetryState } from "../../../provider/http/retry/backoff";
import { classify, type Verdict } from "../../../provider/http/retry/classify";
import { parseHttpDate, parseRetryAfterMs } from "../../../provider/http/retry/retry-after";
import { RetryBudget } from "../../../provider/http/retry/retry-budget";
import { isRedirect, isRefusal, isSuccess } from "../../../provider/http/statuses";
import type { Answered } from "../../../provider/http/types";

const NOW = Date.parse("2026-01-01T00:00:00Z");

describe("Retry-After", () => {
  const cases: [string | undefined, number | undefined][] = [
    ["5", 5000],
    [" 0 ", 0],
    ["120", 120_000],
    ["1.25", 1250],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
    ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["1e9", undefined],
    ["soon", undefined],
    ["2026-01-01", undefined],
    ["at Thu, 01 Jan 2026 00:00:10 GMT", undefined],
    ["Thu, 99 Foo 2026", undefined],
  ];
  for (const [header, expected] of cases) {
    test(`reads ${JSON.stringify(header)} as ${expected}`, () => expect(parseRetryAfterMs(header, NOW)).toBe(expected));
  }

  test("never gives a negative or infinite delay for any header", () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const ms = parseRetryAfterMs(header, NOW);
        return ms === undefined || (Number.isFinite(ms) && ms >= 0);
      }),
    );
  });

  test("ignores a Date header that is not an HTTP date", () => {
    expect(parseHttpDate("Thu, 01 Jan 2026 00:00:00 GMT")).toBe(NOW);
    expect(parseHttpDate("Fri, 31 Dec 9999 23:59:59 GMT")).toBe(253402300799000);
    expect(parseHttpDate("Sat, 01 Jan 10000 00:00:00 GMT")).toBeUndefined();
    expect(parseHttpDate("1")).toBeUndefined();
    expect(parseHttpDate("Thursday-ish")).toBeUndefined();
  });
});

describe("backoff", () => {
  test("is random over its whole range, doubles, and stays below its cap", () => {
    expect([1, 2, 3].map((attempt) => backoffMs(attempt, 0.5, 250))).toEqual([125, 250, 500]);
    expect(backoffMs(1, 0, 250)).toBe(0);
    expect(backoffMs(60, 0.999, 1000)).toBeLessThan(CAP_MS);
  });
});

describe("the decision to try again:", () => {
  const state: RetryState = {
    verdict: "ambiguous",
    status: undefined,
    replay: "safe",
    attempt: 1,
    remainingMs: 60_000,
    retryAfterMs: undefined,
    random: 0.5,
  };
  const cases: [string, Partial<RetryState>, number | undefined][] = [
    ["a safe request is repeated after a lost answer", {}, 125],
    ["a request that must be sent only once is not repeated after a lost answer", { replay: "once" }, undefined],
    ["an unsent request is tried again", { verdict: "not_sent", replay: "once" }, 125],
    ["a request that cannot be sent is not tried again", { verdict: "unusable" }, undefined],
    ["a request over the rate limit is repeated after a shorter pause", { verdict: "throttled", status: 429 }, 50],
    [
      "a request to a locked or unavailable service is repeated after a longer pause",
      { verdict: "throttled", status: 423 },
      500,
    ],
    [
      "the pause is at least as long as the service requests",
      { verdict: "throttled", status: 429, retryAfterMs: 9000 },
      9000,
    ],
    [
      "a requested pause past the deadline ends the attempts",
      { verdict: "throttled", retryAfterMs: 60_000 },
      undefined,
    ],
    ["a refusal is final", { verdict: "refused", status: 404 }, undefined],
    ["there is no fourth attempt", { attempt: 3 }, undefined],
    ["there is no fourth attempt of an unsent request", { verdict: "not_sent", replay: "once", attempt: 3 }, undefined],
    [
      "a throttled request that must be applied only once gets more attempts",
      { verdict: "throttled", replay: "once", status: 423, attempt: 9 },
      10_000,
    ],
    ["every request to a busy service gets more attempts", { verdict: "throttled", status: 429, attempt: 13 }, 10_000],
    [
      "the attempts of a throttled request are limited",
      { verdict: "throttled", replay: "once", status: 429, attempt: 14 },
      undefined,
    ],
    ["a read during an outage gets only three attempts", { verdict: "throttled", status: 503, attempt: 3 }, undefined],
    ["a request is repeated after a server error", { status: 500 }, 125],
    ["a request is not repeated after an unusable success", { status: 200 }, undefined],
    ["there is no attempt after the deadline", { remainingMs: 100 }, undefined],
  ];
  for (const [name, change, expected] of cases) {
    test(name, () => expect(nextDelay({ ...state, ...change })).toBe(expected));
  }

  test("never repeats a request that may have been applied and is not safe to repeat", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.option(fc.integer({ min: 100, max: 599 })), (attempt, status) => {
        expect(nextDelay({ ...state, replay: "once", attempt, status: status ?? undefined })).toBeUndefined();
      }),
    );
  });
});

describe("the verdict on an outcome", () => {
  const answered = (status: number, change: Partial<Answered> = {}): Answered => ({
    kind: "answer",
    status,
    contentType: "application/json; charset=utf-8",
    retryAfter: undefined,
    date: undefined,
    complete: true,
    json: {},
    bodyError: undefined,
    ...change,
  });
  const byStatus: [number, Verdict][] = [
    [100, "ambiguous"],
    [200, "ok"],
    [201, "ok"],
    [300, "refused"],
    [302, "refused"],
    [303, "ambiguous"],
    [400, "refused"],
    [401, "refused"],
    [408, "ambiguous"],
    [409, "refused"],
    [423, "throttled"],
    [429, "throttled"],
    [500, "ambiguous"],
    [501, "ambiguous"],
    [502, "ambiguous"],
    [503, "throttled"],
    [504, "ambiguous"],
  ];
  for (const [status, verdict] of byStatus) {
    test(`of ${status} is ${verdict}`, () => expect(classify(answered(status), "safe")).toBe(verdict));
  }

  test.each<[number, Verdict]>([
    [423, "throttled"],
    [429, "throttled"],
    [503, "ambiguous"],
  ])("of %d to a request that must be applied only once is %s", (status, verdict) => {
    expect(classify(answered(status), "once")).toBe(verdict);
  });

  test("of a successful answer without complete JSON is ambiguous", () => {
    expect(classify(answered(200, { complete: false, json: undefined }), "once")).toBe("ambiguous");
    expect(classify(answered(200, { contentType: "text/html" }), "once")).toBe("ambiguous");
    expect(classify(answered(200, { contentType: "text/html; was=application/json" }), "once")).toBe("ambiguous");
    expect(classify(answered(200, { contentType: "application/jsonp" }), "once")).toBe("ambiguous");
    expect(classify(answered(200, { contentType: "application/problem+json" }), "once")).toBe("ok");
    expect(classify(answered(200, { contentType: "application/json ; charset=utf-8" }), "once")).toBe("ok");
  });

  const byCode: [string, boolean, Verdict][] = [
    ["ECONNRESET", true, "ambiguous"],
    ["ECONNRESET", false, "not_sent"],
    ["ECONNREFUSED", false, "not_sent"],
    ["EAI_AGAIN", false, "not_sent"],
    ["UND_ERR_CONNECT_TIMEOUT", false, "not_sent"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", false, "unusable"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", false, "unusable"],
    ["CERT_HAS_EXPIRED", false, "unusable"],
    ["UND_ERR_INVALID_ARG", false, "unusable"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", false, "unusable"],
    ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", false, "not_sent"],
    ["EPROTO", false, "not_sent"],
    ["PROXY_407", false, "unusable"],
    ["PROXY_502", false, "not_sent"],
    ["HPE_INVALID_CONSTANT", true, "ambiguous"],
  ];
  for (const [code, sent, verdict] of byCode) {
    test(`of ${code} ${sent ? "after" : "before"} sending is ${verdict}`, () => {
      expect(classify({ kind: "failure", code, sent }, "once")).toBe(verdict);
    });
  }
});

test.each([
  [199, ""],
  [200, "success"],
  [299, "success"],
  [300, "redirect"],
  [399, "redirect"],
  [400, "refusal"],
  [407, "refusal"],
  [408, ""],
  [409, "refusal"],
  [423, ""],
  [429, ""],
  [499, "refusal"],
  [500, ""],
  [503, ""],
])("the status %d is of the kind %j", (status, kind) => {
  const kinds = { success: isSuccess, redirect: isRedirect, refusal: isRefusal };
  expect(
    Object.entries(kinds)
      .flatMap(([name, is]) => (is(status) ? name : []))
      .join(),
  ).toBe(kind);
});

describe("the retry budget", () => {
  test("allows 35 retries after failures in a row and no more", () => {
    const budget = new RetryBudget();
    const paid = Array.from({ length: 50 }, () => budget.take(500)).filter((each) => each !== undefined);
    expect(paid).toHaveLength(35);
  });

  test("charges less for a service that only requests a later retry", () => {
    const budget = new RetryBudget();
    const paid = Array.from({ length: 200 }, () => budget.take(429)).filter((each) => each !== undefined);
    expect(paid).toHaveLength(100);
  });

  test("allows at most one retry for twenty of a thousand calls if the service is down for all of them", () => {
    const budget = new RetryBudget();
    const paid = Array.from({ length: 1000 }, () => budget.take(503)).filter((each) => each !== undefined);
    expect(paid).toHaveLength(50);
  });

  test("recovers with successes, so that a successful retry costs nothing", () => {
    const budget = new RetryBudget();
    while (budget.take(undefined) !== undefined);
    expect(budget.take(undefined)).toBeUndefined();
    budget.success(14);
    expect(budget.take(undefined)).toBe(14);
    expect(budget.take(undefined)).toBeUndefined();
    for (let plain = 0; plain < 14; plain++) budget.success(0);
    expect(budget.take(undefined)).toBe(14);
  });
});
