import { describe, test } from "vitest";
import type { Action } from "./actions";
import type { Crash, DeclaredKey } from "./mini-engine";
import { runStory } from "./run-story";

const HOUR_MS = 3_600_000;

const key = (inputs: DeclaredKey["inputs"], rotating = false): DeclaredKey => ({ rotating, consumed: true, inputs });
const up = (program: Record<string, DeclaredKey>, crash?: Crash): Action => ({
  ...{ do: "up", program, refresh: false, crash },
});
const rotating = (trigger: number) => ({ "rotating-0": key({ rotationTriggers: { trigger } }, true) });

// What a random story has found once stays found.
describe("a stack comes out whole of the story of", () => {
  // The grace counts from the rotation, not from when the consumers in the stack have the new key: where a run fails
  // in between, and the next one comes after the grace period, it retires the old key before it delivers the new one.
  test.fails("a rotation that crashed before its consumer had the new key, healed after the grace period", async () => {
    await runStory([
      up(rotating(0)),
      up(rotating(1), { step: 2, when: "before" }),
      { do: "wait", ms: 2 * HOUR_MS },
      up(rotating(1)),
    ]);
  });

  test("a first run that crashed while it made a key, and was given up", async () => {
    await runStory([up({ "plain-0": key({}) }, { step: 2, when: 4 }), { do: "destroy", crash: undefined }]);
  });

  test("a key of a run that failed before its ledger, and was then destroyed", async () => {
    const first = { "plain-0": key({}) };
    await runStory([
      up(first),
      up({ ...first, "plain-1": key({}) }, { step: 1, when: "saved" }),
      { do: "destroy", crash: undefined },
    ]);
  });

  test("a key that was to outlive its resource only later, and a destroy that was interrupted", async () => {
    const kept = { "plain-0": { ...key({}), inputs: { revokeOnDelete: false } } };
    await runStory([up({ "plain-0": key({}) }), up(kept), { do: "destroy", crash: { step: 4, when: "before" } }]);
  });
});
