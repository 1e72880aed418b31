import { isDeepStrictEqual } from "node:util";
import type { Members } from "../members";
import { type FieldRule, hasUnknown } from "./fields";

/** A change that is due although the program did not change: age, an unfinished wait, a revocation to retry. */
export interface Due {
  readonly field: string;
  /** Whether the resource must be replaced; otherwise it is updated in place. */
  readonly replace: boolean;
  /** Shown once to the user if the program does not show the reason. */
  readonly why?: string | undefined;
  /** Whether it is drift, which a refresh must report. */
  readonly drift?: boolean | undefined;
}

/** A resource type, as far as its changes are concerned. All of it is pure. */
export interface Compared<Inputs = Members, State = Members> {
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** The values in force of those fields that the outputs do not repeat under their own names. */
  readonly inForce?: ((state: State, inputs: Inputs) => Members) | undefined;
  /** What is due regardless of the program. A refresh uses only the drift in it. */
  readonly due?: ((state: State, inputs: Inputs, now: number) => readonly Due[]) | undefined;
}

/** The difference between a resource and what the program requests. */
export interface Difference {
  readonly changes: boolean;
  /** The fields that have changed, or that cause a change. */
  readonly fields: readonly string[];
  /** The fields that force a replacement. */
  readonly replaces: readonly string[];
  /** Why the resource is replaced, or what is due that the program does not show, in words for the user. */
  readonly reasons: readonly string[];
}

/**
 * Compares a resource's outputs with new inputs by the field rules of its type. Makes no request.
 * @param terms - `now`: this machine's clock, in milliseconds. `driftOnly` leaves out what is due for other reasons: a
 *   refresh reports outside changes, not the passing of time.
 */
export function diff(
  type: Compared,
  outputs: Members,
  inputs: Members,
  { now, driftOnly }: { readonly now: number; readonly driftOnly: boolean },
): Difference {
  const due: Due[] = (type.due?.(outputs, inputs, now) ?? []).filter((item) => item.drift || !driftOnly);
  const before: Members = { ...outputs, ...type.inForce?.(outputs, inputs) };
  for (const [field, rule] of Object.entries(type.fields)) {
    const change = fieldChange(rule, before[field], inputs[field]);
    if (change !== undefined) due.push({ field, replace: change === "replace" });
  }
  const replaces = [...new Set(due.flatMap(({ field, replace }) => (replace ? field : [])))];
  const isUnexplained = (field: string) => !due.some((item) => item.field === field && item.why !== undefined);
  return {
    changes: due.length > 0,
    fields: [...new Set(due.map((item) => item.field))],
    replaces,
    reasons: [
      ...due.flatMap((item) => item.why ?? []),
      // The engine shows the changes that replace the resource in its row, where 80 columns are too few.
      ...replaces
        .filter(isUnexplained)
        .map((field) =>
          hasUnknown(inputs[field]) ? `replaced if ${field} changes` : `replaced, because ${field} changed`,
        ),
    ],
  };
}

function fieldChange(rule: FieldRule, inForce: unknown, given: unknown): "replace" | "update" | undefined {
  if (rule.change === "ignore") return undefined;
  const [before, after] = [normal(inForce, rule), normal(given, rule)];
  // A value that a preview does not know yet may be different, so it counts as a change.
  if (!hasUnknown(after) && (isDeepStrictEqual(before, after) || rule.same?.(before, after))) return undefined;
  return rule.change === "replace" && !(rule.removalUpdates && after === undefined) ? "replace" : "update";
}

/** A field's value, or its default. An empty map or list counts as absent. */
function normal(value: unknown, rule: FieldRule): unknown {
  const given = value ?? rule.fallback;
  const empty = typeof given === "object" && given !== null && Reflect.ownKeys(given).every((key) => key === "length");
  return empty ? undefined : given;
}
