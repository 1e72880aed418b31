import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "keyplane/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FrontEnd } from "../e2e/stack-under-test";
import { POST } from "../routes";
import { HOUR } from "../times";
import { CrashHarness } from "./harness";
import type { Verdict } from "./judge";
import type { Case, Next } from "./plan";
import { type CaseResult, runCase } from "./run-case";
import { scenarios } from "./scenarios";

/** What must not happen. */
const WRONG = ["leaked", "twice", "revoked", "lost", "problems"] as const;

/** What may happen where nothing proves whose a key is, or nothing is left to call keyplane for. */
const ALLOWED = ["reported", "uncalled"] as const satisfies readonly (keyof Verdict)[];

/** What each change of a contributor is tested with: a creation, a replacement and a rotation. */
const QUICK: readonly (readonly [scenario: string, next: Next])[] = [
  ["create", "up"],
  ["replace", "destroy"],
  ["rotate", "up"],
];

/** Defines a test for each of a few cases: both processes are killed when the service has received the POST. */
export function testQuickCases(frontEnd: FrontEnd): void {
  const borrow = harnessesFor(frontEnd);
  const cases = QUICK.map(([scenario, next]): Case => {
    const message = { channel: "provider", point: "after-send", route: POST } as const;
    return { id: `${scenario}, ${next}`, scenario, message, nth: 1, victim: "both", commit: "now", next };
  });
  describe(`after a crash of the ${frontEnd}`, () => {
    test.each(cases)("and one more command, no key is leaked: $id", async (one) => {
      const result = await borrow((harness) => runCase(harness, one));
      expect(flawsOf(result)).toEqual([]);
      expect(result).toMatchObject({ reported: [], uncalled: [] });
    });
  });
}

/**
 * Defines a test for each scenario: it kills the run at every request and every step, each followed by every command.
 * `CRASH_SHARD` selects a part of the scenarios: with `1/3`, each third one from the first.
 */
export function testWholeMatrix(frontEnd: FrontEnd): void {
  const [part = 1, parts = 1] = (process.env.CRASH_SHARD ?? "1/1").split("/").map(Number);
  const borrow = harnessesFor(frontEnd);
  const results: CaseResult[] = [];
  const count = (what: keyof Verdict) => results.filter((each) => each[what].length > 0).length;
  afterAll(() => {
    const counts = ALLOWED.map((what) => `${count(what)} ${what}`).join(", ");
    process.stdout.write(`${results.length} crashes of the ${frontEnd}, part ${part} of ${parts}: ${counts}\n`);
  });
  describe(`after a crash of the ${frontEnd} at any moment and one more command, no key is leaked or lost`, () => {
    const chosen = scenarios.filter((_, at) => at % parts === part - 1);
    test.concurrent.each(chosen.map((each) => [each.name, each] as const))(
      "%s",
      { timeout: HOUR },
      async (_, scenario) => {
        const ended = await borrow(async (harness) => {
          const ended: CaseResult[] = [];
          for (const one of await harness.cases(scenario)) ended.push(await runCase(harness, one));
          return ended;
        });
        results.push(...ended);
        expect(ended.flatMap(flawsOf)).toEqual([]);
      },
    );
  });
}

function flawsOf(result: CaseResult): string[] {
  return WRONG.flatMap((what) => result[what].map((text) => `${result.id}\n${what}: ${text}`));
}

/** Lends a harness to one test at a time: its cases share what is prepared for them. */
function harnessesFor(frontEnd: FrontEnd) {
  const free: CrashHarness[] = [];
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "keyplane-crash-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return async <Result>(work: (harness: CrashHarness) => Promise<Result>): Promise<Result> => {
    const open = async () => {
      return CrashHarness.open(await mkdtemp(join(folder, "harness-")), engineOf(process.env), frontEnd);
    };
    const harness = free.pop() ?? (await open());
    try {
      return await work(harness);
    } finally {
      free.push(harness);
    }
  };
}
