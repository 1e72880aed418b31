import fc from "fast-check";
import { describe, test } from "vitest";
import { pluginStory } from "./actions";
import { runPluginStory } from "./plugin-story";
import { reporter, SEED, storiesOr } from "./told";

const STORIES = storiesOr(25);

describe("no key of the plugin is lost, leaked, left behind or wrongly revoked", () => {
  test(`in ${STORIES} stories of the seed ${SEED}`, async () => {
    await fc.assert(fc.asyncProperty(pluginStory, runPluginStory), { numRuns: STORIES, seed: SEED, reporter });
  });
});
