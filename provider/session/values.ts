import { isSecret, type Members, SECRET, SIGNATURE, textsOf } from "../members";
import { secretNames } from "../outputs";
import { UNKNOWN } from "../schema/fields";

/** Pulumi's marker for a value that a preview does not know yet. The dynamic host does not decode it. */
const PULUMI_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Values of Pulumi's, which nobody has checked or read yet. */
export type Values = Record<string, unknown>;

/** Converts Pulumi's values for the core: unknown values become a symbol, and `__provider` is removed. */
export function fromPulumi(values: Values): Values {
  return mapDeep(fromState(values), (value) => (value === PULUMI_UNKNOWN ? UNKNOWN : value)) as Values;
}

/** The same for the values of a state, which are all known. An output that is `null` there is absent. */
export function fromState(values: Values): Values {
  const state: Values = {};
  for (const name of Object.keys(values)) {
    if (name !== "__provider" && values[name] !== null) state[name] = values[name];
  }
  return state;
}

/**
 * Converts the outputs of a resource for Pulumi. Pulumi shows an output that the state lacks as unknown in each
 * preview, and warns if it is exported. So outputs that can be absent become `null`.
 */
export function toState(outputs: Members, canBeAbsent: readonly string[] = []): Values {
  const state = toPulumi(outputs);
  for (const name of canBeAbsent) state[name] ??= null;
  return state;
}

/**
 * Converts the core's values for Pulumi. A gRPC struct supports neither `undefined` nor `bigint`. Such a value would
 * make the host fail after the key was created, and the key would not be recorded.
 */
export function toPulumi(values: object): Values {
  // A copy, because the host adds properties to it.
  const copy = { ...values };
  return mapDeep(copy, (value) => {
    if (value === UNKNOWN) return PULUMI_UNKNOWN;
    return typeof value === "bigint" ? value.toString() : value;
  }) as Values;
}

/** Marks the secrets among the inputs or outputs of a resource. Changes the values. */
export function markResource(values: Values): Values {
  return markSecrets(values, secretNames(textsOf(values.__secret)));
}

/** Marks the values with these names as secrets. Changes the values. */
export function markSecrets(values: Values, names: readonly string[]): Values {
  for (const name of names) {
    const value = values[name];
    if (value !== undefined && value !== null) values[name] = { [SIGNATURE]: SECRET, value };
  }
  return values;
}

export function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (isSecret(value)) return unmarked(value.value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmarked(member)]));
}

/** Returns an unchanged value itself: most values are unchanged, and each of thousands of calls maps them twice. */
function mapDeep(value: object, leaf: (value: unknown) => unknown): object {
  if (Array.isArray(value)) {
    const items = value.filter((item) => item !== undefined).map((item) => map(item, leaf));
    return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
  }
  const source = value as Values;
  let changed: Values | undefined;
  for (const name in source) {
    const item = source[name];
    const mapped = map(item, leaf);
    if (mapped === item && item !== undefined) continue;
    changed ??= { ...source };
    if (mapped === undefined) delete changed[name];
    else changed[name] = mapped;
  }
  return changed ?? value;
}

function map(value: unknown, leaf: (value: unknown) => unknown): unknown {
  return typeof value === "object" && value !== null ? mapDeep(value, leaf) : leaf(value);
}
