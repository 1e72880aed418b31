import { formatDuration, parseDuration } from "../../duration";
import { deadlineRules, graceOf, rotationAge } from "../../keys/ages";
import { types } from "../../keys/field-types";
import { keyFields, keyRules } from "../../keys/fields";
import type { Overlap } from "../../keys/retirement";
import type { Members } from "../../members";
import type { CheckCall, Failure } from "../../schema/check";
import type { FieldRule, InputsOf, Planned } from "../../schema/fields";

/** Longer than services that record a use once an hour can be late. A shorter period gets a warning. */
const DEFAULT_QUIET = "2h";

export const rotationFields = {
  ...keyFields,
  /** Applies to the next key. An existing key keeps its name. */
  namePrefix: { ...keyFields.namePrefix, change: "update" },
  // An update records these as soon as they change. The current key keeps its own until the next rotation, and the
  // rotation plan decides whether that follows at once.
  maxAge: { ...keyFields.maxAge, change: "update" },
  rotationTriggers: { type: types.map, change: "update" },
  sealTo: { ...keyFields.sealTo, change: "update" },
  gracePeriod: { type: types.duration, change: "update" },
  quietPeriod: { type: types.duration, fallback: DEFAULT_QUIET, change: "update" },
  maxOverlap: { type: types.duration, fallback: "7d", change: "update" },
  requireUse: { type: types.flag, fallback: false, change: "update" },
  revokeNow: { type: types.keyId, change: "update" },
  /** The key to start with. It has no effect once the resource exists, and can then be removed from the program. */
  adopt: { type: types.adoption, change: "ignore" },
  selfRotation: { type: types.flag, fallback: false, change: "update" },
} as const satisfies Record<string, FieldRule>;

export type RotationInputs = InputsOf<typeof rotationFields>;

/** Inputs of a rotating key, as far as they are given and known. */
export type PlannedRotation = Planned<Partial<RotationInputs>>;

const NO_ADOPTION: Failure = {
  property: "sealTo",
  reason:
    "cannot be combined with adopt, because the state has the readable secret of an adopted key. Adopt the key without " +
    "sealTo. Then replace adopt by sealTo: the next run rotates to a sealed key",
  code: "KP-SEAL",
};

export function overlapOf(inputs: PlannedRotation): Overlap {
  const grace = graceOf(inputs);
  return {
    grace,
    quiet: msOf(inputs, "quietPeriod"),
    maxOverlap: Math.max(grace, msOf(inputs, "maxOverlap")),
    requireUse: inputs.requireUse === true,
  };
}

export function rotationRules(inputs: PlannedRotation, check: CheckCall, before: Members): readonly Failure[] {
  warnOfShortQuiet(inputs, check, before);
  const failures: Failure[] = [...keyRules(inputs, check, before), ...deadlineRules(inputs, graceOf(inputs))];
  if (inputs.sealTo !== undefined && inputs.adopt !== undefined) failures.push({ ...NO_ADOPTION });
  if (inputs.requireUse === true && inputs.verify === true) {
    const reason = "cannot be combined with verify, which uses each new key itself. Choose one of them";
    failures.push({ property: "requireUse", reason });
  }
  const age = rotationAge(inputs);
  if (age !== undefined && graceOf(inputs) >= age) {
    const limit = inputs.rotateAfter === undefined ? "two thirds of maxAge, the age of a rotation" : "rotateAfter";
    failures.push({ property: "gracePeriod", reason: `must be less than ${limit}` });
  }
  const overlap = parseDuration(inputs.maxOverlap);
  if (overlap !== undefined && overlap < graceOf(inputs)) {
    const grace = formatDuration(graceOf(inputs));
    failures.push({ property: "maxOverlap", reason: `must not be less than gracePeriod, which is ${grace}` });
  }
  return failures;
}

/** Warns once: when a period that a late service makes unsafe is new or changed. */
function warnOfShortQuiet({ quietPeriod }: PlannedRotation, { warn }: CheckCall, before: Members): void {
  const [quiet, least] = [parseDuration(quietPeriod), parseDuration(DEFAULT_QUIET)];
  if (quiet === undefined || least === undefined || quiet >= least || quietPeriod === before.quietPeriod) return;
  warn(
    `quietPeriod is ${formatDuration(quiet)}. If the service shows the last use of a key later than that, the previous key can be ` +
      "revoked while it is used. Choose longer than the pause between two uses plus the delay of the service, and at " +
      `least ${DEFAULT_QUIET} if you do not know the delay`,
  );
}

function msOf(inputs: PlannedRotation, field: "quietPeriod" | "maxOverlap"): number {
  return parseDuration(inputs[field]) ?? parseDuration(rotationFields[field].fallback) ?? 0;
}
