import { keyFields, keyRules } from "../keys/key-fields";
import { leaseRules } from "../keys/lease";
import { type FieldRule, type FieldType, type InputsOf, type Planned, types } from "../schema/field-types";
import type { Context, Failure } from "../schema/resource-type";

const NO_ADOPTION =
  "is supported only by RotatingApiKey. The replacement of an ApiKey would adopt the key, and lose it with the old resource";

/** The fields of a key that is changed only by replacement. */
export const apiKeyFields = {
  ...keyFields,
  name: { type: types.keyName, change: "replace" },
  adopt: { type: (() => NO_ADOPTION) as FieldType<undefined>, change: "ignore", refused: true },
  onNameConflict: { type: types.oneOf("fail", "revokeUnused"), fallback: "fail", change: "update" },
} as const satisfies Record<string, FieldRule>;

/** The checked inputs of a key. */
export type ApiKeyInputs = InputsOf<typeof apiKeyFields>;

/** The rules between the fields. */
export function apiKeyRules(inputs: Planned<ApiKeyInputs>, context: Context): readonly Failure[] {
  const failures: Failure[] = [...keyRules(inputs, context), ...leaseRules(inputs)];
  if (inputs.name !== undefined) {
    if (inputs.namePrefix !== undefined) {
      failures.push({ property: "namePrefix", reason: "cannot be combined with name. Choose one of them" });
    }
    if (inputs.maxAge !== undefined) {
      const reason =
        "cannot be combined with name, because the deadline is a part of the generated name. Use namePrefix";
      failures.push({ property: "maxAge", reason });
    }
    if (inputs.waitForProjects !== undefined) {
      failures.push({
        property: "waitForProjects",
        reason:
          "cannot be combined with name, because a replacement revokes the old key before it waits. Use namePrefix, or " +
          "make the key depend on a ProjectReady",
      });
    }
  } else if (inputs.onNameConflict !== undefined) {
    failures.push({ property: "onNameConflict", reason: "requires name. Set name, or remove onNameConflict" });
  }
  return failures;
}
