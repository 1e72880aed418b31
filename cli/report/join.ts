import { isoOf } from "../../provider/duration";
import { getOrCreate } from "../../provider/get-or-create";
import { expiresAt } from "../../provider/keys/lease";
import type { Role, StackState } from "../../provider/stack/keys-in-state";
import { VERSION } from "../../provider/version";
import type { Age } from "../duration-option";
import { ageOf, countFlags } from "../keys/inventory";
import { type Origin, originsIn, unheldFlag } from "../state/left-behind";
import { latestOf, type ReadState } from "../state/states";
import { nextIfMissing, nextStep, nextWithoutState } from "./next-step";
import { labelOf, listedKeys, type Place, Places, type ReadList } from "./place-keys";
import type { Flag, KeyEvent, Report, ReportKey, ReportStack } from "./report-data";
import { readTime, type StateKey, stateKeys } from "./state-keys";

interface ReportTerms {
  /** The service's time, in milliseconds. */
  readonly now: number;
  /** The time after which an unused key is flagged. */
  readonly unusedFor: Age;
}

/** A key of the service or of the states, before it is described. */
interface Joined extends Place {
  /** The key in each state that holds it, the one that decides what happens next first. */
  readonly held: readonly StateKey[];
}

/** Joins lists of keys with states. Pure: the same sources at the same time give the same report. */
export function joinReport(
  { lists, states }: { readonly lists: readonly ReadList[]; readonly states: readonly ReadState[] },
  terms: ReportTerms,
): Report {
  const latest = latestOf(states);
  const held = new Map([...latest].map((state) => [state, stateKeys(state)]));
  const originOf = originsIn([...latest]);
  const keys = joined(lists, [...held.values()].flat()).map((key) => {
    return describe(key, originOf, { ...terms, hasStates: states.length > 0 });
  });
  return {
    at: isoOf(terms.now) ?? "",
    version: VERSION,
    accounts: lists.map(({ origin, keys, problem, ...scope }) => {
      return { label: labelOf(scope), origin, keys: keys?.length, problem };
    }),
    stacks: states.map((state) => describeState(state, held.get(state))),
    keys,
    flagged: countFlags(keys),
  };
}

function joined(lists: readonly ReadList[], inStates: readonly StateKey[]): readonly Joined[] {
  const listed = listedKeys(lists);
  const places = new Places(lists, listed);
  const found = new Map<unknown, Place & { readonly held: StateKey[] }>();
  for (const key of listed) found.set(key, { listed: key, goneFrom: undefined, label: undefined, held: [] });
  for (const key of inStates) {
    const place = places.of(key);
    const same = place.listed ?? JSON.stringify([key.id, place.goneFrom?.origin, place.label, key.name]);
    getOrCreate(found, same, () => ({ ...place, held: [] })).held.push(key);
  }
  return Array.from(found.values(), (key) => ({ ...key, held: key.held.toSorted(byWeight) }));
}

const WEIGHTS: readonly Role[] = ["current", "previous", "to be revoked", "kept"];

/** A resource that hands a key out decides about it, before one that only knows it. */
function byWeight(one: StateKey, other: StateKey): number {
  return WEIGHTS.indexOf(one.holder.role) - WEIGHTS.indexOf(other.holder.role);
}

function describe(
  { listed, goneFrom, label, held }: Joined,
  originOf: (name: string) => Origin | undefined,
  { now, unusedFor, hasStates }: ReportTerms & { readonly hasStates: boolean },
): ReportKey {
  const [first] = held;
  const record = listed?.record;
  const name = record?.name ?? held.find((key) => key.name !== undefined)?.name;
  const origin = originOf(name ?? "");
  const status = listed !== undefined ? "live" : goneFrom !== undefined ? "gone" : "not found";
  const dates = first?.dates ?? {};
  const stack = first?.holder.stack ?? origin?.state.stack;
  const unheld = hasStates && first === undefined && record !== undefined ? unheldFlag(record, origin, now) : undefined;
  const createdAt = readTime(record?.createdAt) ?? dates.createdAt;
  const deadline = expiresAt(name);
  const isExpired = status === "live" && deadline !== undefined && Date.parse(deadline) <= now;
  const next =
    first === undefined || isExpired
      ? nextWithoutState({ isLeftBehind: unheld === "left-behind", hasStates, deadline }, now)
      : status === "live"
        ? nextStep(first, now)
        : nextIfMissing(first, status);
  const isUnused = record !== undefined && ageOf(record.lastUsedAt ?? record.createdAt, now) >= unusedFor.ms;
  const isOverdue = status === "live" && !isExpired && next.isDue && next.after !== undefined;
  const flags: readonly (readonly [Flag, boolean])[] = [
    ["left-behind", unheld === "left-behind"],
    ["unmanaged", unheld === "unmanaged"],
    ["gone", status === "gone"],
    ["not found", status === "not found"],
    ["overdue", isOverdue],
    ["expired", isExpired],
    ["unused", isUnused],
    ["previous", first?.holder.role === "previous"],
    ["several states", new Set(held.map(({ holder }) => holder.stack)).size > 1],
  ];
  return {
    id: record?.id ?? first?.id ?? "",
    name,
    status,
    accounts: listed?.lists.map(labelOf) ?? (label === undefined ? [] : [label]),
    createdAt,
    lastUsedAt: record?.lastUsedAt,
    lastUsedFromAddr: record?.lastUsedFromAddr ?? undefined,
    createdBy: record?.createdBy,
    projectId: record?.projectId ?? undefined,
    stack,
    resource: first?.holder.urn ?? origin?.urn,
    holders: held.map(({ holder }) => holder),
    rotateAt: dates.rotateAt,
    revokeAfter: dates.revokeAfter,
    expiresAt: deadline,
    next,
    flags: flags.flatMap(([flag, isSet]) => (isSet ? [flag] : [])),
    events: eventsAt({
      created: record?.createdAt ?? dates.createdAt,
      delivered: dates.deliveredAt,
      used: record?.lastUsedAt,
      rotated: dates.rotatedAt,
      "grace ends": dates.revokeAfter,
      "rotation due": dates.rotateAt,
      deadline,
      gone: status === "gone" ? isoOf(now) : undefined,
    }),
  };
}

/** What is known about a key's life, in order of time. Times that are not valid are left out. */
function eventsAt(times: Readonly<Record<KeyEvent["what"], unknown>>): KeyEvent[] {
  const known = Object.entries(times).flatMap(([what, time]) => {
    const at = readTime(time);
    return at === undefined ? [] : [{ what: what as KeyEvent["what"], at }];
  });
  return known.toSorted((one, other) => one.at.localeCompare(other.at));
}

/** @param held - The keys that it holds; `undefined` if a newer state of the stack was given. */
function describeState(state: StackState, held: readonly StateKey[] | undefined): ReportStack {
  const { stack, savedAt, hidden, underWay } = state;
  return {
    stack,
    savedAt: readTime(savedAt),
    keys: held?.length ?? 0,
    isOutdated: held === undefined ? true : undefined,
    hidden: hidden.length || undefined,
    underWay: underWay || undefined,
  };
}
