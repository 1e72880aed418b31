import type { ApiKeyRecord } from "../api/records";
import { isAborted, KeyplaneError, messageOf } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { Operation, StackFacts } from "../stack/state";
import { shownName } from "../text";
import { formatListed, markIn, nameInUrn, numberIn, tagOf } from "./naming";
import type { Call, Place } from "./place";
import { revokeCommand } from "./scope";

/** What is known about a live key with a generated name that this process did not make and was not shown. */
export interface LeftoverFacts {
  readonly isUsed: boolean;
  /**
   * What shows that an interrupted run requested it: a note of its creation in the stack's own state, or the mark of a
   * resource with a higher number than the state has. `nothing`: only the tag of a resource that gets a key now.
   */
  readonly by: "note" | "next number" | "nothing";
  /** Whether another process of this run cannot be the one that is creating it. */
  readonly isOwnProvider: boolean;
  /** Whether a resource in the state has it; `unknown` without the state, or if ids in it are encrypted. */
  readonly held: "yes" | "no" | "unknown";
  /** Whether it is older than this process. */
  readonly isOlder: boolean;
  /** Whether a run that succeeded since its creation may have handed it out. Matters only for `next number`. */
  readonly isCovered: "yes" | "no" | "unknown";
}

type Why = "used" | "no state" | "no history" | "covered" | "no note";

/** What happens to the key. `leave`: it is not left behind. `tell`: it stays live, and the user is told why. */
export type LeftoverFate = { readonly fate: "revoke" | "leave" } | { readonly fate: "tell"; readonly why: Why };

/**
 * Decides about a key that may be left behind. The engine saves a key before it goes on, so a key whose note is still
 * there was never handed out. Unknown is never a proof.
 */
export function leftoverFate(facts: LeftoverFacts): LeftoverFate {
  const { isUsed, by, isOwnProvider, held, isOlder, isCovered } = facts;
  if (held === "yes" || !isOlder || !isOwnProvider) return { fate: "leave" };
  if (by === "nothing")
    return isUsed ? { fate: "leave" } : { fate: "tell", why: held === "no" ? "no note" : "no state" };
  if (isUsed) return { fate: "tell", why: "used" };
  if (held === "unknown") return { fate: "tell", why: "no state" };
  if (by === "note" || isCovered === "no") return { fate: "revoke" };
  return { fate: "tell", why: isCovered === "yes" ? "covered" : "no history" };
}

const REASONS: Readonly<Record<Why, string>> = {
  used: "an interrupted run has created it, but somebody used it",
  "no state": "keyplane could not find out from the state of the stack whether a resource has it",
  "no history": "an interrupted rotation may have created it, but the history of the stack does not reach back so far",
  covered: "an interrupted rotation may have created it, but a run has succeeded since, which may have handed it out",
  "no note":
    "its name is one of this resource, but nothing shows who created it: it may belong to another stack of this name",
};

/** What this process knows about the keys of one place. */
class Leftovers {
  /** Ids of keys that the engine has shown to this process, or that it has made. */
  readonly seen = new Set<string>();
  readonly told = new Set<string>();
  list: { readonly keys: Promise<readonly ApiKeyRecord[]>; readonly urn: string } | undefined;
  /** The settling of the notes, which all calls share. */
  readonly settled = new Map<boolean, Promise<readonly string[]>>();
}

const leftovers = new WeakMap<Place, Leftovers>();
const of = (place: Place) => getOrCreate(leftovers, place, () => new Leftovers());

/** Records the keys of a resource that the engine shows, or that was made. They are not left behind. */
export function noteSeen(place: Place, ids: readonly string[]): void {
  for (const id of ids) of(place).seen.add(id);
}

/**
 * The list that this process requests before its first creation. If it fails, the resource that asked first has the
 * whole message, and the others refer to it.
 */
export async function firstList({ place, urn }: Call): Promise<readonly ApiKeyRecord[]> {
  const known = of(place);
  const isAsker = known.list === undefined;
  if (known.list === undefined) known.list = { keys: place.keys.list(), urn };
  const { list } = known;
  try {
    return await list.keys;
  } catch (error) {
    if (known.list === list) known.list = undefined;
    if (isAsker || list.urn === urn || !(error instanceof KeyplaneError) || isAborted(error)) throw error;
    const asker = JSON.stringify(shownName(nameInUrn(list.urn)));
    throw new KeyplaneError(error.code, `the list of keys could not be read: see the error of ${asker}`, error);
  }
}

/** The operation of the engine that a call belongs to. Its note is in the state while the call is under way. */
export function operationOf({ kind, urn, id, mark }: Call): Operation {
  const kinds = { create: "creating", update: "updating", delete: "deleting", read: "reading" } as const;
  return { kind: kinds[kind], urn, mark, id };
}

/**
 * Revokes what interrupted runs have left behind: keys that a note of this stack's own state names, once per process, and
 * the next numbers of the resource's own mark. A refresh only tells. Costs the list that the process needs anyway; the
 * state is asked for only if a key in it is unexplained. Returns the ids that could not be revoked.
 * @param requests - How many names the resource has requested by its state; absent for a new resource.
 */
export async function settleLeftovers(call: Call, requests?: number): Promise<readonly string[]> {
  try {
    const known = of(call.place);
    const keys = await firstList(call);
    const isRefresh = call.kind === "read";
    const isAsker = !known.settled.has(isRefresh);
    const notes = getOrCreate(known.settled, isRefresh, () => settleNotes(keys, call));
    const [ofNotes, own] = await Promise.all([notes, settleOwn(keys, requests, call)]);
    return isAsker ? [...ofNotes, ...own] : own;
  } catch (error) {
    if (isAborted(error) || call.kind === "delete") throw error;
    call.row.warn(
      `could not look for keys that interrupted runs have left. The next run tries again: ${messageOf(error)}`,
    );
    return [];
  }
}

/** Settles leftovers beside the work of a creation or an update, and ends with it. Never fails the work. */
export async function settlingLeftovers<T>(
  call: Call,
  requests: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const settled = settleLeftovers(call, requests).catch(() => {});
  try {
    return await work();
  } finally {
    await settled;
  }
}

/** The keys with generated names that this process did not make, was not shown, and has not revoked. */
function unexplained(keys: readonly ApiKeyRecord[], { place }: Call): readonly ApiKeyRecord[] {
  const { seen } = of(place);
  return keys.filter(({ id, name }) => markIn(name) !== undefined && !seen.has(id) && !place.keys.hasRevoked(id));
}

async function settleNotes(keys: readonly ApiKeyRecord[], call: Call): Promise<readonly string[]> {
  const open = unexplained(keys, call);
  if (open.every(({ lastUsedAt }) => lastUsedAt !== null)) return [];
  const state = await call.stack.state(operationOf(call));
  if (state === undefined) return [];
  const notes = new Map(state.notes.map((note) => [note.mark, note]));
  const left = open.map(async (key) => {
    const note = notes.get(markIn(key.name) ?? "");
    return note === undefined ? [] : carryOut(key, { by: "note", isOwnProvider: note.isOwnProvider }, state, call);
  });
  return (await Promise.all(left)).flat();
}

/** Settles the keys of the call's own resource: those of an interrupted rotation, and, before a creation, those of its tag. */
async function settleOwn(
  keys: readonly ApiKeyRecord[],
  requests: number | undefined,
  call: Call,
): Promise<readonly string[]> {
  const { mark, urn, kind } = call;
  const isNext = ({ name }: ApiKeyRecord) =>
    requests !== undefined && markIn(name) === mark && numberIn(name) > requests;
  const isNamesake = ({ name, lastUsedAt }: ApiKeyRecord) =>
    kind === "create" && markIn(name)?.startsWith(tagOf(urn)) === true && lastUsedAt === null;
  const open = unexplained(keys, call).filter((key) => isNext(key) || isNamesake(key));
  if (open.length === 0) return [];
  const state = await call.stack.state(operationOf(call));
  const noted = new Set(state?.notes.map((note) => note.mark));
  const runs = open.some(isNext) ? await call.stack.history(operationOf(call)) : undefined;
  const { succeededAt } = await import("../stack/history.js");
  const left = open.map((key) => {
    if (!isNext(key) && noted.has(markIn(key.name) ?? "")) return [];
    // The history has this machine's clock.
    const createdAt = Date.parse(key.createdAt) - (call.place.account.skewMs ?? 0);
    const isCovered = runs === undefined ? ("unknown" as const) : succeededAt(runs, createdAt);
    return carryOut(key, { by: isNext(key) ? "next number" : "nothing", isOwnProvider: true, isCovered }, state, call);
  });
  return (await Promise.all(left)).flat();
}

/** Carries out the fate of a key. Returns its id if it could not be revoked. */
async function carryOut(
  key: ApiKeyRecord,
  shown: Pick<LeftoverFacts, "by" | "isOwnProvider"> & Partial<Pick<LeftoverFacts, "isCovered">>,
  state: StackFacts | undefined,
  call: Call,
): Promise<readonly string[]> {
  const { place, row } = call;
  const decided = leftoverFate({
    isUsed: key.lastUsedAt !== null,
    held: state?.holds(key.id) ?? "unknown",
    // The list has whole seconds.
    isOlder: Date.parse(key.createdAt) < Math.floor(startedAt(place) / 1_000) * 1_000,
    isCovered: "no",
    ...shown,
  });
  if (decided.fate === "leave") return [];
  const shownKey = formatListed(key);
  if (decided.fate === "tell" || call.kind === "read") {
    if (of(place).told.has(key.id)) return [];
    of(place).told.add(key.id);
    const why = decided.fate === "tell" ? REASONS[decided.why] : "an interrupted run has left it behind";
    const way =
      decided.fate === "tell"
        ? `It stays live. If no stack has it, run \`${revokeCommand(key.id, place.scope)}\``
        : `The next \`pulumi up\` that changes a key revokes it, and so does \`${revokeCommand(key.id, place.scope)}\``;
    row.warn(`key ${shownKey}: ${why}. ${way}`);
    return [];
  }
  try {
    row.progress(`revoking key ${key.id}, which an interrupted run left behind`);
    await place.keys.revoke(key.id);
    row.info(`revoked key ${shownKey}, which an interrupted run left behind`);
    return [];
  } catch (error) {
    if (isAborted(error)) throw error;
    row.warn(`could not revoke key ${shownKey}, which an interrupted run left behind: ${messageOf(error)}`);
    return [key.id];
  }
}

/** When this process was started, by the service's clock. */
function startedAt({ account }: Place): number {
  return performance.timeOrigin + (account.skewMs ?? 0);
}
