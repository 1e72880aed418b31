import { isoOf } from "../../provider/duration";
import { VERSION } from "../../provider/version";
import { countFlags, describe, joinKeys, labelOf, type ReadList, type ShownKey, type Terms } from "../keys/join";
import { readTime } from "../state/state-keys";
import { latestOf, type ReadState } from "../state/states";

/** Everything that a report shows, and the output of `--json`. It contains no secret. */
export type Report = ReturnType<typeof reportOf>;

/** The report, the keys first that are due first. Pure: the same sources at the same time give the same report. */
export function reportOf(lists: readonly ReadList[], states: readonly ReadState[], terms: Terms) {
  const latest = latestOf(states);
  const keys = joinKeys(lists, states).map((key) => describe(key, { ...terms, hasStates: states.length > 0 }));
  const order = (key: ShownKey) => dueOf(key) ?? (key.next.isDue ? "" : "\uffff");
  return {
    at: isoOf(terms.now) ?? "",
    version: VERSION,
    accounts: lists.map((list) => {
      return { label: labelOf(list), origin: list.origin, keys: list.keys?.length, problem: list.problem };
    }),
    stacks: states.map((state) => ({
      stack: state.stack,
      savedAt: readTime(state.savedAt),
      keys: state.keys.length,
      /** Whether a newer state of the same stack was given, so that this one was left out. */
      isOutdated: !latest.has(state) || undefined,
      /** Number of resources whose keys' ids are encrypted. Their keys appear as unmanaged. */
      hidden: state.hidden.length || undefined,
      /** Number of operations that were in progress when it was saved. */
      underWay: state.underWay || undefined,
    })),
    keys: keys.toSorted((one, other) => (order(one) < order(other) ? -1 : order(one) > order(other) ? 1 : 0)),
    flagged: countFlags(keys),
  };
}

/** When something is due for a key, if that is known. */
export const dueOf = ({ next, revokeAfter, rotateAt }: ShownKey) => next.after ?? revokeAfter ?? rotateAt;
