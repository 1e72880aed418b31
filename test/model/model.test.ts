import { inspect } from "node:util";
import fc, { type RunDetails } from "fast-check";
import { describe, test } from "vitest";
import { type Action, story } from "./actions";
import { runStory } from "./run-story";

/** The number of stories and their seed. `npm run test:model` sets both; otherwise they are fixed. */
const STORIES = Number(process.env.KEYPLANE_MODEL_STORIES ?? 60);
const SEED = Number(process.env.KEYPLANE_MODEL_SEED ?? 20260101);

describe("no key of a stack is lost, leaked, left behind or wrongly revoked", () => {
  test(`in ${STORIES} stories of the seed ${SEED}`, async () => {
    await fc.assert(fc.asyncProperty(story, runStory), { numRuns: STORIES, seed: SEED, reporter });
  });
});

/** Prints a failed story as a test for `stories.test.ts`, after shrinking it. */
function reporter({ failed, seed, counterexample, errorInstance }: RunDetails<[readonly Action[]]>): void {
  if (!failed || counterexample === null) return;
  const [actions] = counterexample;
  const lines = actions.map(
    (action) => `      ${inspect(action, { depth: null, breakLength: Number.POSITIVE_INFINITY })},`,
  );
  const pasted = [
    `  test("NAME WHAT HAPPENS IN IT", async () => {`,
    "    await runStory([",
    ...lines,
    "    ]);",
    "  });",
  ];
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(`a story of the seed ${seed} failed: ${message}\n\n${pasted.join("\n")}\n`, { cause: errorInstance });
}
