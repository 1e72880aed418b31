import { UNKNOWN } from "../resources";

/** How Pulumi's dynamic host hands over a value that a preview does not know yet; it decodes nothing. */
const PULUMI_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

type Values = Readonly<Record<string, unknown>>;

/** Pulumi's values as the core sees them: unknowns are a symbol, and `__provider` is none of its business. */
export function fromPulumi(values: Values): Values {
  const { __provider, ...rest } = values;
  return mapDeep(rest, (value) => (value === PULUMI_UNKNOWN ? UNKNOWN : value)) as Values;
}

/**
 * The core's values as Pulumi takes them. A gRPC struct knows neither `undefined` nor `bigint`: one such value would
 * make the host fail after the key was made, and nothing would be recorded.
 */
export function toPulumi(values: Values): Record<string, unknown> {
  return mapDeep(values, (value) => {
    if (value === UNKNOWN) return PULUMI_UNKNOWN;
    return typeof value === "bigint" ? value.toString() : value;
  }) as Record<string, unknown>;
}

function mapDeep(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== undefined).map((item) => mapDeep(item, leaf));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, mapDeep(item, leaf)]));
  }
  return leaf(value);
}
