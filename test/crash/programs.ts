import type { Rule } from "keyplane/testing";
import { RECIPIENTS } from "../recipients";
import type { Next } from "./plan";
import type { Keys, Start } from "./scenario";

export const POST = "POST /api_keys";
export const LIST = "GET /api_keys";
export const DELETE = "DELETE /api_keys/{key_id}";

export const A = "ApiKey::a";
export const CONSUMER = "Consumer::a-consumer";

/** A request of a step: how many of the same route come before it in the run, and how many of those get no answer. */
export const request = (route: string, before = 0, unanswered = 0) => ({ route, before, unanswered });

/** Programs: one key, another one, both, and keys that rotate in different ways. */
export const one: Keys = { a: { consumer: "holds" } };
export const other: Keys = { b: { consumer: "uses" } };
export const two: Keys = { ...one, ...other };
export const triggered = (trigger: string): Keys => ({
  ...other,
  a: { consumer: "holds", rotationTriggers: { trigger } },
});
export const exact = (trigger: string): Keys => ({
  a: { consumer: "holds", name: "exactly-a", onNameConflict: "revokeUnused", rotationTriggers: { trigger } },
});
export const rotating = (args: object): Keys => ({ ...other, a: { rotating: true, consumer: "holds", ...args } });
/** Keys that only one of two recipients can open. With `verify`, a kill could leave a key that was used, as documented. */
export const sealed = (recipient: 0 | 1): Keys => ({
  ...other,
  a: { consumer: "holds", sealTo: RECIPIENTS[recipient] },
});
export const rotatingSealed = (recipient: 0 | 1): Keys => rotating({ sealTo: RECIPIENTS[recipient] });
export const ROTATING = "RotatingApiKey::a";
/** Stands for the id of the key of `a`. */
export const KEY_OF_A = "KEY-OF-A";
export const compromised = rotating({ revokeNow: KEY_OF_A });

/** The service creates a key, but its answer is lost. */
export const lost: Rule = { route: POST, fault: "close", commit: "before" };

export const EVERY: readonly Next[] = ["up", "refresh", "destroy"];
export const EVERY_AND_BACK: readonly Next[] = [...EVERY, "back"];

export const rotated = rotating({ rotationTriggers: { trigger: "2" }, gracePeriod: "1s" });

/** A key was rotated, and the grace period of its predecessor is over. */
export const graceOver: Start = {
  runs: [{ program: rotating({ rotationTriggers: { trigger: "1" }, gracePeriod: "1s" }) }, { program: rotated }],
  waitMs: 1_500,
};
