import fc from "fast-check";
import { describe, test } from "vitest";
import { story } from "./actions";
import { runStory } from "./run-story";

/** How many stories each seed tells: `KEYPLANE_MODEL_RUNS`, for more than a test run has time for. */
const RUNS = Number(process.env.KEYPLANE_MODEL_RUNS ?? 60);

describe("whatever happens to a stack, no key is lost, leaked, left behind or wrongly revoked", () => {
  test.each([
    ["of a fixed seed", 20260101],
    ["of a random seed", Date.now() % 2 ** 31],
  ])(`in ${RUNS} stories %s (%i)`, async (_, seed) => {
    await fc.assert(fc.asyncProperty(story, runStory), { numRuns: RUNS, seed, endOnFailure: false });
  });
});
