import { parseDuration } from "../../duration";
import { type FieldRule, types } from "../fields";
import { keyFields, keyRules, queuedDigestIn, triggersDigestIn } from "../key-fields";
import type { Context, Failure, Properties } from "../kind";

/** The fields of a key that rotates in place. */
export const rotationFields = {
  ...keyFields,
  /** Names the next key: one that exists keeps its name. */
  namePrefix: { ...keyFields.namePrefix, change: "update" },
  /** Noted by an update as soon as they change; whether a rotation follows at once is for the plan to say. */
  rotationTriggers: {
    type: types.map,
    change: "update",
    digest: (outputs) => queuedDigestIn(outputs) ?? triggersDigestIn(outputs),
  },
  gracePeriod: { type: types.duration, fallback: "24h", change: "update" },
  quietPeriod: { type: types.duration, fallback: "1h", change: "update" },
  maxOverlap: { type: types.duration, fallback: "7d", change: "update" },
  revokeNow: { type: types.keyId, change: "update" },
  /** The key to begin with. Once the resource exists it has no meaning, and may go from the program. */
  adopt: { type: types.adoption, change: "ignore" },
  selfRotation: { type: types.flag, fallback: false, change: "update" },
} as const satisfies Record<string, FieldRule>;

/** How long a key that was rotated out lives on, in milliseconds. */
export interface Periods {
  /** At least so long. */
  readonly grace: number;
  /** Until it was not used for so long. */
  readonly quiet: number;
  /** At most so long, whoever uses it; never less than `grace`. */
  readonly maxOverlap: number;
}

/** The periods that the inputs ask for. */
export function periodsOf(inputs: Properties): Periods {
  const grace = msOf(inputs, "gracePeriod");
  return { grace, quiet: msOf(inputs, "quietPeriod"), maxOverlap: Math.max(grace, msOf(inputs, "maxOverlap")) };
}

/** The rules that hold between the fields. */
export function rotationRules(inputs: Properties, context: Context): readonly Failure[] {
  const failures: Failure[] = [...keyRules(inputs, context)];
  const age = parseDuration(inputs.rotateAfter);
  if (age !== undefined && msOf(inputs, "gracePeriod") >= age) {
    const reason = `must be less than rotateAfter${inputs.gracePeriod === undefined ? "; it is 24h where it is not given" : ""}`;
    failures.push({ property: "gracePeriod", reason });
  }
  const overlap = parseDuration(inputs.maxOverlap);
  if (overlap !== undefined && overlap < msOf(inputs, "gracePeriod")) {
    failures.push({ property: "maxOverlap", reason: "must not be less than gracePeriod" });
  }
  return failures;
}

function msOf(inputs: Properties, field: "gracePeriod" | "quietPeriod" | "maxOverlap"): number {
  return parseDuration(inputs[field]) ?? parseDuration(rotationFields[field].fallback) ?? 0;
}
