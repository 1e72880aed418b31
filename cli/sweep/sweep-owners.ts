import { MAX_SKEW_MS } from "../../provider/keys/clock-skew";
import { ownerTag } from "../../provider/keys/names";
import type { StackState } from "../../provider/stack/stack-state";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A tag that cannot be a word in somebody else's name. */
const TAG = /^(?=.*[2-7])[a-z2-7]{8}$/;

/**
 * The tags of the owners to sweep, each with the time at which the newest given state of its owner was saved, in
 * milliseconds since 1970; `undefined` if no state of the owner was given.
 */
export type SweptOwners = ReadonlyMap<string, number | undefined>;

/** Returns the owners to sweep: the given owners, else the owners in the states. */
export function sweptOwners(owners: readonly string[], states: readonly StackState[]): SweptOwners {
  if (owners.length === 0 && states.length === 0) {
    throw new UsageError(
      "no stack was given. Pass its name (--stack NAME), its state (--state FILE), or its owner (--owner ID)",
    );
  }
  const saved = new Map<string, number>();
  for (const state of states) {
    // An owner that is named can be the one of the stack from which a state was copied.
    for (const tag of owners.length > 0 ? [...state.tags, ...state.foreign.map(ownerTag)] : readTags(state)) {
      saved.set(tag, Math.max(readSavedAt(state), saved.get(tag) ?? 0));
    }
  }
  if (owners.length === 0) return saved;
  return new Map(owners.map(readOwner).map((tag) => [tag, saved.get(tag)]));
}

/** When a state was saved. Keys that are newer may be in a later state. */
function readSavedAt({ source, savedAt: time }: StackState): number {
  const saved = Date.parse(time ?? "");
  if (saved <= Date.now() + MAX_SKEW_MS) return saved;
  throw new UsageError(
    `${plain(source)} does not say when it was saved, or names a time in the future. Correct the clock, run \`pulumi up\` ` +
      "and export it again: `pulumi stack export`",
  );
}

function readOwner(owner: string): string {
  const text = owner.toLowerCase();
  if (UUID.test(text)) return ownerTag(text);
  if (TAG.test(text)) return text;
  throw new UsageError(
    "--owner must be the id of an owner (a UUID): the id of `Owner` in the stack's state or, with the plugin, what stands before " +
      "the first period of `__owner`, an input of the provider resource. The tag in its keys' names is enough if it contains a " +
      "digit: eight letters can also be a word in the name of somebody else's key",
  );
}

/** Rejects a state that does not show all keys of its stack, because a missing key would look like an orphan. */
function readTags({ source, tags, foreign }: StackState): readonly string[] {
  if (foreign.length > 0) {
    throw new UsageError(
      `${plain(source)} was copied or renamed, and its keys may belong to the original stack. Run \`pulumi up\` ` +
        `and read it again, or pass the owner: --owner ${foreign[0]}`,
    );
  }
  if (tags.length === 0) {
    throw new UsageError(`${plain(source)} contains no owner of keys. If its stack had one, pass it with --owner ID`);
  }
  return tags;
}
