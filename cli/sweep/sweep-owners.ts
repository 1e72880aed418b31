import { ownerTag } from "../../provider/keys/names";
import type { StackState } from "../state";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TAG = /^[a-z2-7]{8}$/;

/** Returns the tags of the owners to sweep: the given owners, else the owners in the states. */
export function sweptTags(owners: readonly string[], states: readonly StackState[]): ReadonlySet<string> {
  if (owners.length > 0) return new Set(owners.map(readOwner));
  if (states.length === 0) {
    throw new UsageError("no stack was given. Pass its state (--state FILE), or its owner (--owner ID)");
  }
  return new Set(states.flatMap(tagsOf));
}

function readOwner(owner: string): string {
  const text = owner.toLowerCase();
  if (UUID.test(text)) return ownerTag(text);
  if (TAG.test(text)) return text;
  throw new UsageError(
    "--owner must be the id of an owner (a UUID), or its tag: 8 characters in its keys' names, before the last hyphen or, " +
      "if the plugin created them, before the last but one",
  );
}

/** Rejects a state that does not show all keys of its stack, because a missing key would look like an orphan. */
function tagsOf({ source, tags, foreign }: StackState): readonly string[] {
  if (foreign.length > 0) {
    throw new UsageError(
      `--state: ${plain(source)} was copied or renamed, and its keys may belong to the original stack. Run \`pulumi up\` ` +
        `and export it again, or pass the owner: --owner ${foreign[0]}`,
    );
  }
  if (tags.length === 0) {
    throw new UsageError(
      `--state: ${plain(source)} contains no owner of keys. If its stack had one, pass it with --owner ID`,
    );
  }
  return tags;
}
