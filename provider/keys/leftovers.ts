import type { ApiKeyRecord } from "../api/records";
import { isAborted, isKeyplaneError, KeyplaneError, messageOf } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { EngineStep, StackFacts } from "../stack/state";
import type { Call } from "./call";
import { type LeftoverFacts, leftoverFate, type Why } from "./leftover-fate";
import { formatListed, generatedIn, markIn, numberIn, shownResource, tagOf } from "./naming";
import type { Place } from "./place";
import { revokeCommand } from "./scope";

const REASONS: Readonly<Record<Why, string>> = {
  "other version":
    "another version of the provider has begun to create it, in this run or in an interrupted one. A later run knows",
  used: "an interrupted run has created it, but somebody used it",
  "no state": "keyplane could not find out from the state of the stack whether a resource has it",
  "no history":
    "an interrupted rotation may have created it, but the history of the stack could not be read, or does not reach back so far",
  covered:
    "an interrupted rotation may have created it, but a run that succeeded was under way at about that time, and may have handed it out",
  "no note":
    "its name is one of this resource, but nothing shows who created it: it may belong to another stack of this name",
};

/** What this process remembers of the keys of one place. */
class Leftovers {
  /** Ids of keys that the engine has shown to this process, or that it has made. */
  readonly seen = new Set<string>();
  readonly told = new Set<string>();
  list: { readonly keys: Promise<readonly ApiKeyRecord[]>; readonly urn: string } | undefined;
  /** The settling of the notes, which all calls share. */
  readonly settled = new Map<boolean, Promise<readonly string[]>>();
}

const leftovers = new WeakMap<Place, Leftovers>();
const memoryOf = (place: Place) => getOrCreate(leftovers, place, () => new Leftovers());

/** Records the keys of a resource that the engine shows, or that was made. They are not left behind. */
export function rememberKeys(place: Place, ids: readonly string[]): void {
  for (const id of ids) memoryOf(place).seen.add(id);
}

/**
 * The list that this process requests before its first creation. If it fails, the resource that asked first has the
 * whole message, and the others refer to it.
 */
export async function firstList({ place, urn }: Call): Promise<readonly ApiKeyRecord[]> {
  const known = memoryOf(place);
  const isAsker = known.list === undefined;
  if (known.list === undefined) known.list = { keys: place.keys.list(), urn };
  const { list } = known;
  try {
    return await list.keys;
  } catch (error) {
    if (known.list === list) known.list = undefined;
    if (isAsker || list.urn === urn || !isKeyplaneError(error) || isAborted(error)) throw error;
    const asker = shownResource(list.urn);
    throw new KeyplaneError(error.code, `the list of keys could not be read: see the error of ${asker}`, error);
  }
}

/** The operation of the engine that a call belongs to. Its note is in the state while the call is under way. */
export function stepOf({ verb, urn, id, mark }: Call): EngineStep {
  const kinds = { create: "creating", update: "updating", delete: "deleting", read: "reading" } as const;
  return { kind: kinds[verb], urn, mark, id };
}

/** Ids of keys that are left behind and could not be revoked: those that notes name, and those of the resource's own mark. */
interface StillLeft {
  readonly ofNotes: readonly string[];
  readonly own: readonly string[];
}

const NOTHING_LEFT: StillLeft = { ofNotes: [], own: [] };

/**
 * Revokes what interrupted runs have left behind: keys that a note of this stack's own state names, once per process, and
 * the next numbers of the resource's own mark. A refresh only tells. Costs the list that the process needs anyway; the
 * state is asked for only if a key in it is unexplained. Never throws, because it must not lose the work beside it.
 * @param requests - How many names the resource has requested by its state; absent for a new resource.
 */
export async function settleLeftovers(call: Call, requests?: number): Promise<StillLeft> {
  const known = memoryOf(call.place);
  const isRefresh = call.verb === "read";
  try {
    const keys = await firstList(call);
    const isAsker = !known.settled.has(isRefresh);
    const notes = getOrCreate(known.settled, isRefresh, () => settleNotes(keys, call));
    const [ofNotes, own] = await Promise.all([notes, settleOwn(keys, requests, call)]);
    return { ofNotes: isAsker ? ofNotes : [], own };
  } catch (error) {
    // Without the list, the call itself fails, or says what it could not find out.
    if (known.list !== undefined && !isAborted(error)) {
      call.row.warn(
        `could not look for keys that interrupted runs have left. The next run tries again: ${messageOf(error)}`,
      );
    }
    return NOTHING_LEFT;
  }
}

/** Whether this process has made a key, or was shown a resource that has it. */
export function isSeen(place: Place, id: string): boolean {
  return memoryOf(place).seen.has(id);
}

/** Whether nothing explains a key: this process has neither made it, nor was shown it, nor has revoked it. */
const isUnexplained = ({ id }: ApiKeyRecord, { place }: Call): boolean =>
  !isSeen(place, id) && !place.keys.hasRevoked(id);

async function settleNotes(keys: readonly ApiKeyRecord[], call: Call): Promise<readonly string[]> {
  const open = [...generatedIn(keys).byMark.values()].flat().filter((key) => isUnexplained(key, call));
  if (open.every(({ lastUsedAt }) => lastUsedAt !== null)) return [];
  const state = await call.stack.state(stepOf(call));
  if (state === undefined) return [];
  const notes = notesByMark(state);
  const left = open.map(async (key) => {
    const note = notes.get(markIn(key.name) ?? "");
    return note === undefined ? [] : carryOut(key, { by: "note", provider: note.provider }, state, call);
  });
  return (await Promise.all(left)).flat();
}

const notesByMark = (state: StackFacts | undefined) => new Map(state?.notes.map((note) => [note.mark, note]));

/** Settles the keys of the call's own resource: those of an interrupted rotation, and, before a creation, those of its tag. */
async function settleOwn(
  keys: readonly ApiKeyRecord[],
  requests: number | undefined,
  call: Call,
): Promise<readonly string[]> {
  const { byMark, byTag } = generatedIn(keys);
  const isNext = ({ name }: ApiKeyRecord) => requests !== undefined && numberIn(name) > requests;
  const next = (byMark.get(call.mark) ?? []).filter((key) => isNext(key) && isUnexplained(key, call));
  const namesakes = call.verb === "create" ? (byTag.get(tagOf(call.urn)) ?? []) : [];
  const others = namesakes.filter((key) => !next.includes(key) && isUnexplained(key, call));
  if (next.length + others.length === 0) return [];
  const state = await call.stack.state(stepOf(call));
  const notes = notesByMark(state);
  const runs = next.length === 0 ? undefined : await call.stack.history(stepOf(call));
  const { succeededAt } = await import("../stack/history.js");
  const left = [
    ...next.map((key) => {
      // The history has this machine's clock.
      const createdAt = Date.parse(key.createdAt) - (call.place.account.skewMs ?? 0);
      const isCovered = runs === undefined ? ("unknown" as const) : succeededAt(runs, createdAt);
      return carryOut(key, { by: "next number", provider: "own", isCovered }, state, call);
    }),
    ...others.map((key) => {
      const note = notes.get(markIn(key.name) ?? "");
      // `settleNotes` does that, for all calls.
      if (note !== undefined && key.lastUsedAt === null) return [];
      return carryOut(key, { by: note ? "note" : "nothing", provider: note?.provider ?? "own" }, state, call);
    }),
  ];
  return (await Promise.all(left)).flat();
}

/** Carries out the fate of a key. Returns its id if it could not be revoked. */
async function carryOut(
  key: ApiKeyRecord,
  shown: Pick<LeftoverFacts, "by" | "provider"> & Partial<Pick<LeftoverFacts, "isCovered">>,
  state: StackFacts | undefined,
  call: Call,
): Promise<readonly string[]> {
  const { place, row } = call;
  const decided = leftoverFate({
    isUsed: key.lastUsedAt !== null,
    isHeld: state?.holds(key) ?? "unknown",
    // The list has whole seconds.
    isOlder: Date.parse(key.createdAt) < Math.floor(startedAt(place) / 1_000) * 1_000,
    // Matters only for a next number.
    isCovered: "unknown",
    ...shown,
  });
  if (decided.fate === "leave") return [];
  const shownKey = formatListed(key);
  if (decided.fate === "tell" || call.verb === "read") {
    if (memoryOf(place).told.has(key.id)) return [];
    memoryOf(place).told.add(key.id);
    const why = decided.fate === "tell" ? REASONS[decided.why] : "an interrupted run has left it behind";
    const way =
      decided.fate === "tell"
        ? `It stays live. If no stack has it, run \`${revokeCommand(key.id, place.scope)}\``
        : `The next \`pulumi up\` that changes ${shown.by === "note" ? "a key" : "this resource"} revokes it, and so does \`${revokeCommand(key.id, place.scope)}\``;
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
