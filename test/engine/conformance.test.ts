import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { casesIn } from "./replay/case";
import { asCompared, inTermsOf } from "./replay/compare";
import { needsOwn, PROBE, replay } from "./replay/replay";
import { SharedProcesses } from "./replay/shared-processes";

// A case waits for its turn within its own time limit.
const TIMEOUT_MS = 600_000;

const folders = [join(__dirname, "conformance", "cases"), process.env.KEYPLANE_CONFORMANCE ?? ""];

// Two at a time, each on processes of its own.
const free = [new SharedProcesses(PROBE), new SharedProcesses(PROBE)];
const waiting: ((shared: SharedProcesses) => void)[] = [];

async function inTurn(work: (shared: SharedProcesses) => Promise<void>): Promise<void> {
  const shared = free.pop() ?? (await new Promise<SharedProcesses>((resolve) => waiting.push(resolve)));
  try {
    await work(shared);
  } finally {
    const next = waiting.shift();
    if (next) next(shared);
    else free.push(shared);
  }
}

afterAll(() => {
  for (const shared of free) shared.close();
});

for (const folder of folders.filter((path) => path !== "")) {
  describe.concurrent(`the engine does as recorded in ${folder}`, () => {
    for (const recorded of casesIn(folder)) {
      const check = (index: number, seen: Parameters<typeof inTermsOf>[2]) => {
        const { command, args = [], expect: expected } = recorded.steps[index] ?? expect.fail("no such step");
        const step = `step ${index + 1}, ${[command, ...args].join(" ")}`;
        expect(inTermsOf(recorded, index, seen), step).toEqual(asCompared(expected));
      };
      test(`${recorded.name}: ${recorded.about}`, { timeout: TIMEOUT_MS }, () =>
        inTurn((shared) => replay(recorded, check, needsOwn(recorded) ? undefined : shared)),
      );
    }
  });
}
