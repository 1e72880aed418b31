import { KeyplaneError } from "../errors";
import { cleanText } from "../http";

/**
 * The one item of that id or name. Names need not be unique: several of one are an error that tells their ids, for
 * any choice among them would be a guess.
 */
export function findOne<T extends { readonly id: string; readonly name: string }>(
  kind: string,
  items: readonly T[],
  by: "id" | "name",
  value: string,
): T {
  const found = items.filter((each) => each[by] === value);
  const [first] = found;
  const what = `${kind} with the ${by} "${cleanText(value)}"`;
  if (first === undefined)
    throw new KeyplaneError(
      "KP-NOTFOUND",
      `the account has no ${what}: check the ${by}, and that this is the account meant`,
    );
  if (found.length > 1) {
    const ids = found.map((each) => each.id).join(", ");
    throw new KeyplaneError(
      "KP-AMBIGUOUS",
      `the account has not one ${what} but ${found.length}: give one of ${ids} as id`,
    );
  }
  return first;
}
