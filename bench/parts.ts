import { scenarios } from "./scenarios";

/** The names that `--only` takes: the scenarios, and the parts that are not one of them. */
export const parts: readonly string[] = [
  ...scenarios.map(({ name }) => name),
  ...["cold-start", "plugin", "unknown-key", "sealed", "identify", "up"],
];

/** What is wrong with the names after `--only`; undefined if nothing is. */
export function wrongParts(only: readonly string[]): string | undefined {
  const unknown = only.filter((name) => !parts.includes(name));
  if (unknown.length === 0) return undefined;
  return `--only ${unknown.join(", ")} names nothing that is measured. Use one of: ${parts.join(", ")}`;
}
