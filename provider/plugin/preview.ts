import type { Members } from "../members";
import type { ResourceType } from "../resources/resource";
import { UNKNOWN } from "../schema/fields";
import type { Values } from "../session/values";

/**
 * What a preview answers for a resource that the run creates or updates. It creates nothing: the inputs are the answer,
 * and each output is unknown until the run, except those that keep their value.
 * @param stable - The names of these outputs in `current`.
 */
export function preview(
  { outputs, onlyWith = {} }: ResourceType,
  inputs: Members,
  current: Members = {},
  stable: readonly string[] = [],
): Values {
  const isPossible = (name: string) =>
    Object.entries(onlyWith).every(([input, names]) => inputs[input] !== undefined || !names.includes(name));
  const shown = outputs
    .filter(isPossible)
    .map((name) => [name, stable.includes(name) ? current[name] : UNKNOWN] as const);
  return { ...Object.fromEntries(shown), ...inputs };
}
