import fc from "fast-check";
import { describe, test } from "vitest";
import { story } from "./actions";
import { runStory } from "./run-story";
import { reporter, SEED, storiesOr } from "./told";

const STORIES = storiesOr(60);

describe("no key of a stack is lost, leaked, left behind or wrongly revoked", () => {
  test(`in ${STORIES} stories of the seed ${SEED}`, async () => {
    await fc.assert(fc.asyncProperty(story, runStory), { numRuns: STORIES, seed: SEED, reporter });
  });
});
