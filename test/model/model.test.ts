import { inspect } from "node:util";
import fc, { type RunDetails } from "fast-check";
import { describe, test } from "vitest";
import { type Action, story } from "./actions";
import { runStory } from "./run-story";

/** How many stories are told, and from which seed. `npm run test:model` sets both; otherwise they are always the same. */
const STORIES = Number(process.env.KEYPLANE_MODEL_STORIES ?? 60);
const SEED = Number(process.env.KEYPLANE_MODEL_SEED ?? 20260101);

describe("whatever happens to a stack, no key is lost, leaked, left behind or wrongly revoked", () => {
  test(`in ${STORIES} stories of the seed ${SEED}`, async () => {
    await fc.assert(fc.asyncProperty(story, runStory), { numRuns: STORIES, seed: SEED, reporter });
  });
});

/** Shows a story that failed as a test for `stories.test.ts`, shrunk as far as it goes. */
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
