import { InvalidArgumentError } from "commander";
import { type Age, readAge } from "./duration-option";
import type { InventoryKey } from "./inventory";

/** What makes `keyplane keys` end with exit code 1. */
export interface FailOn {
  readonly olderThan?: Age;
  readonly unused?: Age;
  readonly unmanaged?: true;
  readonly orphan?: true;
  /** Whether only states can tell. */
  readonly needsStates: boolean;
}

/** Reads `older-than=180d,unused=90d,unmanaged,orphan`: any of them. */
export function readFailOn(text: string): FailOn {
  const terms = text.split(",").map((term) => readTerm(term.trim()));
  const names = terms.flatMap((term) => Object.keys(term));
  if (new Set(names).size < names.length) throw new InvalidArgumentError("It names the same condition twice.");
  const failOn = Object.assign({}, ...terms) as Omit<FailOn, "needsStates">;
  return { ...failOn, needsStates: failOn.unmanaged === true || failOn.orphan === true };
}

function readTerm(term: string): Partial<FailOn> {
  const [, name, age] = /^(older-than|unused)=(.+)$/.exec(term) ?? [];
  if (age !== undefined) return { [name === "unused" ? "unused" : "olderThan"]: readAge(age) };
  if (term === "unmanaged" || term === "orphan") return { [term]: true };
  throw new InvalidArgumentError("It is a list of older-than=AGE, unused=AGE, unmanaged and orphan, with commas.");
}

/**
 * Whether a key is of the kind.
 * @param own - Ids of the keys that the configured accounts sign with: nobody manages those by a stack.
 */
export function fails({ id, flags }: InventoryKey, failOn: FailOn, own: ReadonlySet<string>): boolean {
  const { olderThan, unused, unmanaged, orphan } = failOn;
  return (
    (olderThan !== undefined && flags.includes(`older-than-${olderThan.text}`)) ||
    (unused !== undefined && flags.includes(`unused-${unused.text}`)) ||
    (unmanaged === true && flags.includes("unmanaged") && !own.has(id)) ||
    (orphan === true && flags.includes("orphan"))
  );
}
