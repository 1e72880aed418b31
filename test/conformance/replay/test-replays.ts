import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Case, casesIn } from "./case";
import { asCompared, inTermsOf } from "./compare";
import { replay } from "./replay";
import type { SharedProcesses } from "./shared-processes";

// The time that a case waits for its turn counts towards its time limit.
const TIMEOUT_MS = 600_000;

const FOLDERS = [join(__dirname, "..", "cases"), process.env.KEYPLANE_CONFORMANCE ?? ""];

/** The engine that replays a case. */
export interface ReplayPlan {
  readonly isWanted: (recorded: Case) => boolean;
  /**
   * Runs the work when it is its turn, with the processes that it shares with other cases, or with `undefined` for its
   * own.
   */
  readonly inTurn: (recorded: Case, work: (shared: SharedProcesses | undefined) => Promise<void>) => Promise<void>;
}

/** Defines a test for each selected recording: of the repository, and of the folder KEYPLANE_CONFORMANCE. */
export function testReplays({ isWanted, inTurn }: ReplayPlan): void {
  for (const folder of FOLDERS.filter((path) => path !== "")) {
    describe.concurrent(`the engine does as recorded in ${folder}`, () => {
      for (const recorded of casesIn(folder).filter(isWanted)) {
        const check: Parameters<typeof replay>[1] = (index, seen, printed) => {
          const { command, args = [], expect: expected } = recorded.steps[index] ?? expect.fail("no such step");
          const step = `step ${index + 1}, ${[command, ...args].join(" ")}, which printed:\n${printed}\n`;
          expect(inTermsOf(recorded, index, seen), step).toEqual(asCompared(expected));
        };
        test(`${recorded.name}: ${recorded.about}`, { timeout: TIMEOUT_MS }, () =>
          inTurn(recorded, (shared) => replay(recorded, check, shared)),
        );
      }
    });
  }
}

/** Shares a fixed number of items. Each item has one user at a time, and whoever has waited longest is next. */
export class Turns<T extends NonNullable<unknown>> {
  private readonly waiting: ((thing: T) => void)[] = [];

  constructor(private readonly free: T[]) {}

  /** Works with one of the items. */
  async take(work: (thing: T) => Promise<void>): Promise<void> {
    const thing = this.free.pop() ?? (await new Promise<T>((resolve) => this.waiting.push(resolve)));
    try {
      await work(thing);
    } finally {
      const next = this.waiting.shift();
      if (next) next(thing);
      else this.free.push(thing);
    }
  }
}
