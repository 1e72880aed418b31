import { InvalidArgumentError } from "commander";
import { type Age, readAge } from "../duration-option";
import { flagOf, type InventoryKey } from "./inventory";

/** The conditions under which `keyplane keys` exits with code 1, by the flags that they need. */
export type FailOn = Readonly<
  Partial<Record<"older-than" | "unused", Age> & Record<"unmanaged" | "left-behind", true>>
>;

/** Parses `older-than=180d,unused=90d,unmanaged,left-behind`. Any condition is enough. */
export function readFailOn(text: string): FailOn {
  const terms = text.split(",").map((term) => readTerm(term.trim()));
  const names = terms.flatMap((term) => Object.keys(term));
  if (new Set(names).size < names.length) throw new InvalidArgumentError("It names the same condition twice.");
  return Object.assign({}, ...terms);
}

function readTerm(term: string): FailOn {
  const [, name, age] = /^(older-than|unused)=(.+)$/.exec(term) ?? [];
  if (name !== undefined && age !== undefined) return { [name]: readAge(age) };
  if (term === "unmanaged" || term === "left-behind") return { [term]: true };
  throw new InvalidArgumentError(
    "It must be a comma-separated list of older-than=AGE, unused=AGE, unmanaged and left-behind.",
  );
}

/**
 * Whether a key meets a condition.
 * @param key - `isOwn`: whether a configured account authenticates with it. No stack manages such a key.
 */
export function fails({ flags, isOwn }: InventoryKey & { readonly isOwn: boolean }, failOn: FailOn): boolean {
  const failing = Object.entries(failOn).map(([name, age]) => (age === true ? name : flagOf(name, age)));
  return flags.some((flag) => failing.includes(flag) && !(isOwn && flag === "unmanaged"));
}
