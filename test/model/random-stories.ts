import fc from "fast-check";
import { describe, test } from "vitest";
import type { FrontEnd } from "../engineless/provider-process";
import { type Action, story } from "./actions";
import { runStory } from "./run-story";

const STORIES = Number(process.env.KEYPLANE_MODEL_STORIES ?? 60);
const SEED = Number(process.env.KEYPLANE_MODEL_SEED ?? 20260101);

/** Defines the test of random stories. One that fails is made shorter, and printed as a test to keep. */
export function testStories(frontEnd: FrontEnd): void {
  describe("no key of a stack is lost, leaked, made twice or wrongly revoked", () => {
    test(`in ${STORIES} stories of the seed ${SEED}`, async () => {
      const property = fc.asyncProperty(story, (actions) => runStory(frontEnd, actions));
      await fc.assert(property, { numRuns: STORIES, seed: SEED, reporter });
    });
  });

  function reporter(details: fc.RunDetails<[Action[]]>): void {
    if (!details.failed) return;
    const why = details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance);
    const text = JSON.stringify(details.counterexample?.[0], undefined, 2);
    throw new Error(`${why}\n\nkeepStory("${frontEnd}", "...", ${text});\n\n--seed ${details.seed}`);
  }
}
