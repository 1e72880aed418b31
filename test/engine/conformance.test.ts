import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { casesIn } from "./replay/case";
import { asCompared, inTermsOf } from "./replay/compare";
import { replay } from "./replay/replay";

const AT_A_TIME = 2;
// A case waits for its turn within its own time limit.
const TIMEOUT_MS = 600_000;

const folders = [join(__dirname, "conformance", "cases"), process.env.KEYPLANE_CONFORMANCE ?? ""];

let free = AT_A_TIME;
const waiting: (() => void)[] = [];

/** Runs few cases at a time: each is several processes. */
async function inTurn(work: () => Promise<void>): Promise<void> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free -= 1;
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}

for (const folder of folders.filter((path) => path !== "")) {
  describe.concurrent(`the engine does as recorded in ${folder}`, () => {
    for (const recorded of casesIn(folder)) {
      test(`${recorded.name}: ${recorded.about}`, { timeout: TIMEOUT_MS }, () =>
        inTurn(() =>
          replay(recorded, (index, seen) => {
            const { command, args = [], expect: expected } = recorded.steps[index] ?? expect.fail("no such step");
            const step = `step ${index + 1}, ${[command, ...args].join(" ")}`;
            expect(inTermsOf(recorded, index, seen), step).toEqual(asCompared(expected));
          }),
        ),
      );
    }
  });
}
