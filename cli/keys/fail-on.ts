import { InvalidArgumentError } from "commander";
import { type Age, readAge } from "../duration-option";
import type { InventoryKey } from "./inventory";

/** The conditions under which `keyplane keys` exits with code 1. */
export interface FailOn {
  readonly olderThan?: Age;
  readonly unused?: Age;
  readonly unmanaged?: true;
  readonly orphan?: true;
}

/** Parses `older-than=180d,unused=90d,unmanaged,orphan`. Any condition is enough. */
export function readFailOn(text: string): FailOn {
  const terms = text.split(",").map((term) => readTerm(term.trim()));
  const names = terms.flatMap((term) => Object.keys(term));
  if (new Set(names).size < names.length) throw new InvalidArgumentError("It names the same condition twice.");
  return Object.assign({}, ...terms);
}

function readTerm(term: string): FailOn {
  const [, name, age] = /^(older-than|unused)=(.+)$/.exec(term) ?? [];
  if (age !== undefined) return { [name === "unused" ? "unused" : "olderThan"]: readAge(age) };
  if (term === "unmanaged" || term === "orphan") return { [term]: true };
  throw new InvalidArgumentError(
    "It must be a comma-separated list of older-than=AGE, unused=AGE, unmanaged and orphan.",
  );
}

/**
 * Whether a key meets a condition.
 * @param isOwn - Whether a configured account authenticates with it. No stack manages such a key.
 */
export function fails({ flags }: InventoryKey, failOn: FailOn, isOwn: boolean): boolean {
  const { olderThan, unused, unmanaged, orphan } = failOn;
  return (
    (olderThan !== undefined && flags.includes(`older-than-${olderThan.text}`)) ||
    (unused !== undefined && flags.includes(`unused-${unused.text}`)) ||
    (unmanaged === true && flags.includes("unmanaged") && !isOwn) ||
    (orphan === true && flags.includes("orphan"))
  );
}
