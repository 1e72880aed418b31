import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Concurrency } from "../../../provider/http/concurrency";
import { Limiter } from "../../../provider/http/limiter";
import { RateWindow } from "../../../provider/http/rate-window";
import { DrivenClock } from "./driven-clock";

const never = new AbortController().signal;

describe("a rate window", () => {
  it("lets so many start at once, and the next ones when the first have aged", () => {
    const window = new RateWindow(3, 1000);
    expect([0, 0, 10, 20, 30].map((now) => window.reserve(now))).toEqual([0, 0, 10, 1000, 1000]);
    expect(window.reserve(5000)).toBe(5000);
  });

  it("never lets more start within any window, however they come", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), (gaps) => {
        const window = new RateWindow(4, 1000);
        let now = 0;
        const starts = gaps.map((gap) => {
          now += gap;
          return window.reserve(now);
        });
        starts.forEach((start, at) => {
          const before = starts[at - 4];
          if (before !== undefined) expect(start - before).toBeGreaterThanOrEqual(1000);
        });
      }),
    );
  });
});

describe("concurrency", () => {
  it("halves once for a volley of refusals, and grows back by successes", () => {
    const concurrency = new Concurrency(16);
    for (let refusal = 0; refusal < 16; refusal++) concurrency.throttled(0, 100);
    expect(concurrency.allowed).toBe(8);
    concurrency.throttled(150, 200);
    expect(concurrency.allowed).toBe(4);
    for (let success = 0; success < 5; success++) concurrency.succeeded();
    expect(concurrency.allowed).toBe(5);
    for (let success = 0; success < 1000; success++) concurrency.succeeded();
    expect(concurrency.allowed).toBe(16);
  });

  it("never falls below one, so that something always goes on", () => {
    const concurrency = new Concurrency(2);
    for (let at = 0; at < 20; at++) concurrency.throttled(at * 10, at * 10 + 5);
    expect(concurrency.allowed).toBe(1);
  });

  it("lets in the next in line, and not those who have left it", async () => {
    const concurrency = new Concurrency(1);
    await concurrency.enter(never);
    const gone = new AbortController();
    const left = concurrency.enter(gone.signal).catch(() => "left");
    const order: string[] = [];
    const second = concurrency.enter(never).then(() => order.push("second"));
    gone.abort();
    concurrency.leave();
    await second;
    expect([await left, ...order]).toEqual(["left", "second"]);
  });
});

describe("the limiter", () => {
  const volley = async (rates: boolean, routes: readonly string[], perSecond?: number) => {
    const clock = new DrivenClock();
    const limiter = new Limiter(10_000, rates, clock);
    const start = clock.monotonic();
    await Promise.all(routes.map((route) => limiter.enter(route, never, perSecond)));
    return clock.monotonic() - start;
  };

  it("spreads 100 requests of one route over two seconds: 40 a second are allowed", async () => {
    expect(await volley(true, Array(100).fill("GET /a"))).toBe(2000);
  });

  it("spreads them further where the caller knows that fewer are allowed", async () => {
    expect(await volley(true, Array(100).fill("GET /a"), 10)).toBe(9000);
  });

  it("does not hold up another route", async () => {
    expect(await volley(true, [...Array(40).fill("GET /a"), ...Array(40).fill("GET /b")])).toBe(0);
  });

  it("holds the whole account to 700 a minute", async () => {
    const routes = Array.from({ length: 701 }, (_, at) => `GET /${at % 30}`);
    expect(await volley(true, routes)).toBe(60_000);
  });

  it("lets everything through where rates do not apply, as on this machine", async () => {
    expect(await volley(false, Array(1000).fill("GET /a"))).toBe(0);
  });
});
