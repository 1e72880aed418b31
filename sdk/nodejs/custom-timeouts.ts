import type * as pulumi from "@pulumi/pulumi";

const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
};

/**
 * The `operationTimeout` that the resource option `customTimeouts` requests, because Pulumi's dynamic host does not
 * pass the option on. An update may continue a wait of the creation, so the longer of the two times counts.
 */
export function timeoutIn({ create, update }: pulumi.CustomTimeouts = {}): string | undefined {
  const times = [create, update].map((text = "") => {
    const parts = text.match(/[\d.]+|[a-zµ]+/g) ?? [];
    const counts = parts.map((unit, at) => (unit in UNITS_MS ? Number(parts[at - 1]) * (UNITS_MS[unit] ?? 0) : 0));
    return counts.reduce((sum, count) => sum + count, 0);
  });
  const seconds = Math.ceil(Math.max(...times) / 1000);
  return seconds > 0 ? `${seconds}s` : undefined;
}
