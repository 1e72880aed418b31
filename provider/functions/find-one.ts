import { KeyplaneError } from "../errors";

/** What to find, and in which account or organization. */
interface Wanted {
  readonly kind: "API key" | "project";
  readonly by: "id" | "name";
  readonly value: string;
  /** @default "the account" */
  readonly where?: string | undefined;
}

/**
 * The one item with that id or name. Names need not be unique: if several items have the name, the error lists their
 * ids, because any choice among them would be a guess.
 */
export function findOne<T extends { readonly id: string; readonly name: string }>(
  items: readonly T[],
  { kind, by, value, where = "the account" }: Wanted,
): T {
  const found = items.filter((each) => each[by] === value);
  const [first] = found;
  if (first === undefined) {
    // Another value is not repeated: it can be a secret, and Pulumi does not tell the plugin which values are.
    const isShown = kind === "project" && by === "id";
    const given = isShown ? `the id ${value}` : `the given ${by}`;
    throw new KeyplaneError(
      "KP-NOT-FOUND",
      `no ${kind} in ${where} has ${given}. Check the argument ${by}, and that this is the right account`,
    );
  }
  if (found.length > 1) {
    const ids = found.map((each) => each.id).join(", ");
    throw new KeyplaneError(
      "KP-AMBIGUOUS",
      `${found.length} ${kind}s in ${where} have the given name. Pass one of these ids: ${ids}`,
    );
  }
  return first;
}
