import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Limiter, type Limits, RateWindow } from "../../../provider/http/limits/limiter";
import { Pace } from "../../../provider/http/limits/pace";
import { Slots } from "../../../provider/http/limits/slots";
import { DrivenClock } from "./driven-clock";

const never = new AbortController().signal;

describe("a rate window", () => {
  const starts = (window: RateWindow, times: readonly number[]) => {
    return times.map((now) => {
      const start = window.next(now);
      window.started(start);
      return start;
    });
  };

  test("lets a fixed number start at once, and more when the first ones leave the window", () => {
    const window = new RateWindow(3, 1000);
    expect(starts(window, [0, 0, 10, 20, 30])).toEqual([0, 0, 10, 1000, 1000]);
    expect(window.next(5000)).toBe(5000);
  });

  test("never lets more start within any window, for any pattern of calls", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), (gaps) => {
        let now = 0;
        const taken = starts(
          new RateWindow(4, 1000),
          gaps.map((gap) => {
            now += gap;
            return now;
          }),
        );
        taken.forEach((start, at) => {
          const before = taken[at - 4];
          if (before !== undefined) expect(start - before).toBeGreaterThanOrEqual(1000);
        });
      }),
    );
  });
});

describe("slots", () => {
  test("are taken in order of arrival, and a request that gives up loses its place", async () => {
    const slots = new Slots(1);
    await slots.acquire(never);
    const gone = new AbortController();
    const left = slots.acquire(gone.signal).catch(() => "left");
    const order: string[] = [];
    const second = slots.acquire(never).then(() => order.push("second"));
    const third = slots.acquire(never).then(() => order.push("third"));
    gone.abort();
    slots.release();
    await second;
    slots.release();
    await third;
    expect([await left, ...order]).toEqual(["left", "second", "third"]);
  });
});

describe("the pace of a route", () => {
  const starts = (pace: Pace, count: number, now: number) => {
    return Array.from({ length: count }, () => {
      const start = pace.next(now);
      pace.started(start);
      return start;
    });
  };

  test("starts a second's requests at once, and then one for each token that comes back", () => {
    const times = starts(new Pace(40), 42, 0).map(Math.round);
    expect(times).toEqual([...Array(40).fill(0), 25, 51]);
  });

  test("of one request a second starts the next one a second later", () => {
    const pace = new Pace(1);
    pace.started(50);
    expect(pace.next(60)).toBeCloseTo(50 + 1000 / 0.99);
    expect(pace.next(3000)).toBe(3000);
  });

  test("never starts more than the service's bucket allows", () => {
    const times = starts(new Pace(40), 1000, 0);
    times.forEach((start, at) => {
      expect(at + 1).toBeLessThanOrEqual(40 + (start * 40) / 1000);
    });
    expect(times.at(-1)).toBeLessThanOrEqual((1.02 * 1000 * (1000 - 40)) / 40);
  });

  const gapAt = (pace: Pace, now: number) => {
    const [first = 0, second = 0] = starts(pace, 2, now);
    return second - first;
  };

  test("is even and half as fast after a refusal", () => {
    const pace = new Pace(40);
    pace.tooMany(0, 20);
    expect(gapAt(pace, 20)).toBeCloseTo(1000 / 20);
  });

  test("is cut only once for simultaneous refusals", () => {
    const pace = new Pace(40);
    for (let refusal = 0; refusal < 5; refusal++) pace.tooMany(refusal, 20 + refusal);
    expect(gapAt(pace, 20)).toBeCloseTo(1000 / 20);
  });

  test("is the old one again after a quarter of a minute", () => {
    const pace = new Pace(40);
    pace.tooMany(0, 0);
    expect(gapAt(pace, 14_000)).toBeGreaterThan(20);
    expect(starts(pace, 3, 15_000)).toEqual([15_000, 15_000, 15_000]);
  });
});

const LIMITS: Limits = { concurrency: 10_000, loopback: false };

describe("the limiter", () => {
  const volley = async (routes: readonly string[], limits: Partial<Limits> = {}, perSecond?: number) => {
    const clock = new DrivenClock();
    const limiter = new Limiter({ ...LIMITS, ...limits }, clock);
    const start = clock.monotonic();
    await Promise.all(routes.map((route) => limiter.acquire(route, never, perSecond)));
    return clock.monotonic() - start;
  };

  test("spreads 200 requests of one route over a little more than four seconds if 40 a second are allowed", async () => {
    expect(await volley(Array(200).fill("GET /a"))).toBeLessThan(1.03 * 4000);
  });

  test("spreads them further if the caller or the user sets a lower rate", async () => {
    expect(await volley(Array(100).fill("GET /a"), {}, 10)).toBeCloseTo((90 * 1000) / 9.9);
    expect(await volley(Array(100).fill("GET /a"), { requestsPerSecond: 5 }, 10)).toBeCloseTo((95 * 1000) / 4.95);
  });

  test("does not delay another route", async () => {
    expect(await volley([...Array(10).fill("GET /a"), ...Array(10).fill("GET /b")])).toBe(0);
  });

  test("limits the whole account to 700 requests a minute", async () => {
    const routes = Array.from({ length: 701 }, (_, at) => `GET /${at % 30}`);
    expect(await volley(routes)).toBe(60_010);
  });

  test("lets everything through if no rates are known, as on this machine", async () => {
    expect(await volley(Array(1000).fill("GET /a"), { loopback: true })).toBe(0);
  });

  test("removes a request that gives up, and the next one takes its turn", async () => {
    const clock = new DrivenClock(false);
    const limiter = new Limiter({ ...LIMITS, requestsPerSecond: 1 }, clock);
    await limiter.acquire("GET /a", never);
    const gone = new AbortController();
    const first = limiter.acquire("GET /a", gone.signal).catch(() => "gone");
    let isIn = false;
    const second = limiter.acquire("GET /a", never).then(() => {
      isIn = true;
    });
    gone.abort();
    expect(await first).toBe("gone");
    expect(isIn).toBe(false);
    while (clock.sleeping === 0) await new Promise(setImmediate);
    clock.advance(1011);
    await second;
  });
});

/** A service that allows 40 requests a second, with a token bucket that is full at first. */
class Service {
  answered = 0;
  refused = 0;
  #tokens = 40;
  #filledAt = 0;

  constructor(private readonly clock: DrivenClock) {}

  admits(): boolean {
    const now = this.clock.monotonic();
    this.#tokens = Math.min(40, this.#tokens + ((now - this.#filledAt) * 40) / 1000);
    this.#filledAt = now;
    const admitted = this.#tokens >= 1;
    if (admitted) this.#tokens -= 1;
    if (admitted) this.answered++;
    else this.refused++;
    return admitted;
  }
}

/** A process that sends requests, 32 at a time, and repeats each a moment after it was refused. */
async function run(clock: DrivenClock, service: Pick<Service, "admits">, count: number, loopback = false) {
  const limiter = new Limiter({ ...LIMITS, concurrency: 32, loopback }, clock);
  const calls = Array.from({ length: count }).entries();
  const serve = async () => {
    for (const _ of calls) {
      for (let isAdmitted = false; !isAdmitted; ) {
        await limiter.acquire("POST /a", never);
        const startedAt = clock.monotonic();
        await clock.sleep(20);
        isAdmitted = service.admits();
        limiter.release("POST /a", startedAt, { tooMany: !isAdmitted });
        if (!isAdmitted) await clock.sleep(125);
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, serve));
}

describe("processes that share an account of 40 requests a second", () => {
  const timeOf = async (count: number, processes: number, loopback = false) => {
    const clock = new DrivenClock();
    const service = new Service(clock);
    const start = clock.monotonic();
    await Promise.all(Array.from({ length: processes }, () => run(clock, service, count, loopback)));
    return { seconds: (clock.monotonic() - start) / 1000, ...service };
  };

  test("get no refusals if there is only one process", async () => {
    const { seconds, refused } = await timeOf(200, 1);
    expect(refused).toBe(0);
    expect(seconds).toBeLessThanOrEqual(1.05 * 4);
  });

  test.each([
    [2, 0.07, 1.2],
    [4, 0.14, 1.3],
  ])("get few refusals and use nearly the whole rate if there are %d", async (processes, mostRefused, ratio) => {
    const { seconds, answered, refused } = await timeOf(200, processes);
    expect(answered).toBe(200 * processes);
    expect(seconds).toBeLessThanOrEqual((ratio * (200 * processes - 40)) / 40);
    expect(refused).toBeLessThanOrEqual(answered * mostRefused);
  });

  test("learn unknown limits from refusals", async () => {
    const { seconds, refused } = await timeOf(300, 2, true);
    expect(seconds).toBeLessThanOrEqual((1.25 * (600 - 40)) / 40);
    expect(refused).toBeLessThanOrEqual(60);
  });

  test("keep their speed if one request in five is refused at any rate", async () => {
    const clock = new DrivenClock();
    let count = 0;
    await run(clock, { admits: () => count++ % 5 !== 0 }, 1000, true);
    expect(count).toBe(1250);
    expect(clock.sleeps.filter((ms) => ms !== 20 && ms !== 125)).toEqual([]);
  });
});
