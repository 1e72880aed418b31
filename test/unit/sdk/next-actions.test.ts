import { expect, it } from "vitest";
import { NOTHING, nextAction } from "../../../provider/resources/rotation/rotation-outputs";
import type { RotationState } from "../../../provider/resources/rotation/rotation-state";
import { readNextActions } from "../../../sdk/nodejs/next-actions";
import { generatedName } from "../../generated-name";
import { OTHER_OWNER, OWNER } from "../resources/harness";

const CREATED = "2026-11-20T00:00:00.000Z";
const inputs = { owner: OWNER, rotateAfter: "30d", gracePeriod: "24h" };
const held = (id: string, owner = OWNER) => ({ id, name: generatedName("app", owner), key: "kp_x" });
const ROTATE = { action: "rotate", at: "2026-12-20T00:00:00.000Z" };
const state: RotationState = { ...NOTHING, current: held("18"), createdAt: CREATED };
const rotated: RotationState = { ...state, previous: held("17"), rotatedAt: CREATED, deliveredAt: CREATED };
const REVOKE = { action: "revoke", keyId: "17", at: "2026-11-21T00:00:00.000Z" };
const digest = { text: "x" } as RotationState["queuedTriggers"];

it.each<[string, RotationState, Partial<RotationState["inputs"]>, readonly object[]]>([
  ["a key that rotates by age", state, inputs, [ROTATE]],
  [
    "a key that rotates by age in a window",
    state,
    { ...inputs, rotationWindow: { startTime: "00:00", endTime: "09:00" } },
    [ROTATE],
  ],
  ["a key that rotates only by triggers", state, { owner: OWNER }, []],
  ["a queued rotation", { ...rotated, queuedTriggers: digest }, inputs, [{ action: "rotate", keyId: "17" }, REVOKE]],
  ["a due rotation", { ...state, queuedTriggers: digest }, inputs, [{ action: "rotate" }]],
  ["a grace", rotated, inputs, [ROTATE, REVOKE]],
  [
    "a copied stack",
    { ...rotated, previous: held("17", OTHER_OWNER) },
    inputs,
    [ROTATE, { action: "leave", keyId: "17" }],
  ],
  ["a key that is not ready", { ...state, pending: [{ action: "verify" }] }, {}, [{ action: "wait", keyId: "18" }]],
  ["no key", NOTHING, {}, [{ action: "create" }]],
  [
    "keys to revoke",
    { ...state, compromised: ["5"], retired: ["6"] },
    {},
    ["5", "6"].map((keyId) => ({ action: "revoke", keyId })),
  ],
])("what the next runs do with %s can be read as data from nextAction", (_, given, own, actions) => {
  const text = nextAction({ ...given, inputs: { owner: OWNER, ...own } });
  expect(readNextActions(text), text).toEqual(actions);
});

it("a step that a later version may add is left out", () => {
  expect(readNextActions("paint key 17 blue; revoke key 17")).toEqual([{ action: "revoke", keyId: "17" }]);
});
