import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Call } from "../../../provider/keys/call";
import { projectReady } from "../../../provider/resources/project-ready";
import { type LongWait, LongWaits } from "../../../provider/session/long-waits";
import { runCall } from "../../../provider/session/run-call";
import { Session } from "../../../provider/session/session";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A verb whose body is under test, with the lines of its resource that stay. */
function verb(session: Session, name: string, body: (call: Call) => Promise<void>) {
  const urn = `urn:pulumi:dev::app::t::${name}`;
  const lines: string[] = [];
  vi.spyOn(session.engine, "log").mockImplementation((_urn, severity, text) => {
    if (severity !== "progress") lines.push(`${severity}: ${text}`);
  });
  const target = { type: projectReady, urn };
  const answer = async (call: Call) => {
    await body(call);
    return {};
  };
  const ended = runCall(session, target, { verb: "create", scopeAndSuffix: {} }, answer).catch((error: Error) => error);
  return { lines, ended };
}

/** A session of calls that send nothing. */
function newSession(): Session {
  const session = new Session(() => {
    throw new Error("no message is sent");
  });
  vi.spyOn(session, "keyList").mockReturnValue({} as Call["keyList"]);
  return session;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits as a wait for an operation does, with its progress every five seconds. */
async function poll({ log: { progress } }: Call, forMs: number): Promise<void> {
  const started = performance.now();
  for (;;) {
    const elapsed = performance.now() - started;
    progress(`waiting for start_compute (running, ${elapsed / 1_000} s)`);
    if (elapsed >= forMs) return;
    await sleep(5_000);
  }
}

test("a wait of ten seconds or more leaves a line then, each minute, and at its end", async () => {
  const { lines, ended } = verb(newSession(), "ready", (context) => poll(context, 725_000));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(lines).toEqual(["info: after 10 s: waiting for start_compute (running)"]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(lines.slice(1)).toEqual([
    "info: after 70 s: waiting for start_compute (running)",
    "info: after 2 min: waiting for start_compute (running)",
  ]);
  await vi.advanceTimersByTimeAsync(600_000);
  await ended;
  expect(lines).toHaveLength(13);
  expect(lines.at(-1)).toBe("info: done after 12 min");
  expect(vi.getTimerCount()).toBe(0);
});

test("a shorter wait leaves no line and no timer", async () => {
  const { lines, ended } = verb(newSession(), "ready", (context) => poll(context, 5_000));
  await vi.advanceTimersByTimeAsync(10_000);
  await ended;
  expect(lines).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a verb without progress leaves no line, however long it takes", async () => {
  const { lines, ended } = verb(newSession(), "ready", () => sleep(100_000));
  await vi.advanceTimersByTimeAsync(100_000);
  await ended;
  expect(lines).toEqual([]);
});

test("a wait that fails says so, and how long it took", async () => {
  const { lines, ended } = verb(newSession(), "ready", async (context) => {
    await poll(context, 30_000);
    throw new Error("the operation failed");
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(String(await ended)).toContain("the operation failed");
  expect(lines.at(-1)).toBe("info: failed after 30 s");
});

/** Waits that began now. Their lines begin with their index. */
function waits(texts: readonly string[]): { all: LongWait[]; lines: string[] } {
  const lines: string[] = [];
  const all = texts.map((text, at) => ({
    text,
    since: performance.now(),
    say: (line: string) => lines.push(`${at} ${line}`),
  }));
  return { all, lines };
}

test("resources that wait for the same share one line, and another one goes on when the first has ended", () => {
  const { all, lines } = waits([
    "waiting for a (1 s)",
    "waiting for a (2 s)",
    "waiting for a (3 s)",
    "creating a new key",
  ]);
  const long = new LongWaits();
  for (const wait of all) long.add(wait);
  expect(lines.splice(0)).toEqual(["0 after 0 s: waiting for a", "3 after 0 s: creating a new key"]);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toEqual([
    "0 after 60 s: waiting for a. 2 other resources wait for the same",
    "3 after 60 s: creating a new key",
  ]);
  const [first, second, third, fourth] = all as [LongWait, LongWait, LongWait, LongWait];
  long.end(first, "done");
  long.end(fourth, "done");
  expect(lines.splice(0)).toEqual(["0 done after 60 s", "3 done after 60 s"]);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toEqual(["1 after 2 min: waiting for a. 1 other resource waits for the same"]);
  long.end(third, "done");
  expect(lines.splice(0)).toEqual([]);
  long.end(second, "done");
  expect(lines).toEqual(["1 done after 2 min"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("many resources that wait for something else each leave five lines a minute in all", () => {
  const { all, lines } = waits(Array.from({ length: 400 }, (_, at) => `waiting for key ${at}`));
  const long = new LongWaits();
  for (const wait of all) long.add(wait);
  expect(lines.splice(0)).toHaveLength(5);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(5);
  for (const wait of all) long.end(wait, "done");
});
