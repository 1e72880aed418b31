import type { ApiKeyRecord } from "../../provider/api";
import { type LeftoverFacts, type LeftoverFate, leftoverFate } from "../../provider/keys/leftover-fate";
import { markIn, numberIn, tagIn, tagOf } from "../../provider/keys/naming";
import { latestOf, type ReadState } from "./states";

/** A key of this age or more, in minutes, is in the state of its run, unless the run was interrupted. */
export const YOUNG_MINUTES = 15;

/** The resource of a given state whose name a key has. */
export interface Origin {
  readonly state: ReadState;
  readonly urn: string;
  /** What shows that an interrupted run requested the name. `nothing` if it can be a name of any of the resource's keys. */
  readonly by: LeftoverFacts["by"];
}

type Known = Omit<Origin, "by"> & {
  /** How many names the resource has requested; `noted` if a note names its creation. */
  readonly requests: number | "noted";
};

/** Finds the resource whose name a key has: by the mark in it, else by the tag, which another stack can share. */
export function originsIn(states: readonly ReadState[]): (name: string) => Origin | undefined {
  const byMark = new Map<string, Known>();
  const byTag = new Map<string, Known>();
  const add = (known: Known, mark: string | undefined) => {
    byTag.set(tagOf(known.urn), known);
    if (mark !== undefined) byMark.set(mark, known);
  };
  for (const state of latestOf(states)) {
    for (const { urn, mark, requests } of state.requesters) add({ state, urn, requests }, mark);
    for (const { urn, mark } of state.notes) add({ state, urn, requests: "noted" }, mark);
  }
  return (name) => {
    const mark = markIn(name);
    if (mark === undefined) return undefined;
    const marked = byMark.get(mark);
    const { state, urn } = marked ?? byTag.get(tagIn(mark)) ?? {};
    if (state === undefined || urn === undefined) return undefined;
    if (marked?.requests === "noted") return { state, urn, by: "note" };
    return { state, urn, by: marked !== undefined && numberIn(name) > marked.requests ? "next number" : "nothing" };
  };
}

/** What a run of its stack would do with a live key that no given state holds. */
export function fateOfUnheld(
  { lastUsedAt }: ApiKeyRecord,
  { by }: Pick<Origin, "by">,
  isCovered: LeftoverFacts["isCovered"] = "unknown",
): LeftoverFate {
  return leftoverFate({ isUsed: lastUsedAt !== null, by, provider: "own", isHeld: "no", isOlder: true, isCovered });
}

/** Whether a run in progress may be about to save a key that no given state has. */
export function mayBeUnsaved({ createdAt }: ApiKeyRecord, now: number): boolean {
  return !(now - Date.parse(createdAt) >= YOUNG_MINUTES * 60_000);
}

/** The flag of a live key that no given state holds; `undefined` for one that a run in progress may be creating. */
export function unheldFlag(
  key: ApiKeyRecord,
  origin: Origin | undefined,
  now: number,
): "left-behind" | "unmanaged" | undefined {
  if (origin === undefined || origin.by === "nothing") return "unmanaged";
  return mayBeUnsaved(key, now) ? undefined : "left-behind";
}
