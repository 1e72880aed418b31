import type { ApiKeyRecord } from "../../provider/api";
import { getOrCreate } from "../../provider/get-or-create";
import { expiresAt, suffixIn } from "../../provider/keys/naming";
import type { Scope } from "../../provider/keys/scope";
import { shownAccount } from "../../provider/text";
import { type Origin, originsIn, unheldFlag } from "../state/orphans";
import { type Role, readTime, type StateKey } from "../state/state-keys";
import { latestOf, type ReadState } from "../state/states";
import { ageOf } from "./columns";
import { nextStep } from "./next-step";

/** A list of keys of the service, as it was requested. */
export interface ReadList extends Scope {
  /** The service's scheme, host and port. */
  readonly origin: string;
  /** What a state records of the account. */
  readonly fingerprint: string;
  /** The live keys; `undefined` if the list could not be read. */
  readonly keys: readonly ApiKeyRecord[] | undefined;
  readonly problem?: string;
}

/** The flags of a key in the order in which they need attention. docs/cli.md explains them. */
export const FLAGS = [
  ...(["expired", "overdue", "orphan", "unmanaged", "gone", "not found"] as const),
  ...(["unused", "older-than", "several states", "credential"] as const),
] as const;

export type Flag = (typeof FLAGS)[number];

/** A key that was not used for this long, in milliseconds, is flagged. */
export const UNUSED_MS = 90 * 86_400_000;

export interface Terms {
  /** The service's time, in milliseconds. */
  readonly now: number;
  /** The keys of lists that keyplane authenticates with. */
  readonly credentials: ReadonlySet<ApiKeyRecord>;
  /** The ages, in milliseconds, at which a key is flagged. @default UNUSED_MS, and never */
  readonly unusedFor?: number;
  readonly olderThan?: number | undefined;
}

/** A key in a state, and the stack of the state. */
type KeyOfStack = StateKey & { readonly stack: string };

/** A key of the service or of the states, and what holds it. */
export interface JoinedKey {
  /** The key as it is listed; `undefined` if it is not live. */
  readonly record: ApiKeyRecord | undefined;
  /** Every list that contains it. Two credentials of one account list the same keys. */
  readonly lists: ReadList[];
  /** The list that had it, if it is gone. */
  readonly goneFrom?: ReadList | undefined;
  /** The key in each state that holds it, the one that decides what happens next first. */
  readonly held: readonly KeyOfStack[];
  /** The given state that its name is of. */
  readonly origin: Origin | undefined;
}

/** What the commands show about a key. It contains no secret. */
export type ShownKey = ReturnType<typeof describe>;

/** Joins lists of keys with states: all keys, each once. */
export function joinKeys(lists: readonly ReadList[], states: readonly ReadState[]): readonly JoinedKey[] {
  const latest = [...latestOf(states)];
  const originOf = originsIn(latest);
  const inStates = latest.flatMap(({ keys, stack }) => keys.map((key) => ({ ...key, stack })));
  return joined(lists, inStates).map((key) => {
    const held = key.held.toSorted((one, other) => WEIGHTS.indexOf(one.role) - WEIGHTS.indexOf(other.role));
    return { ...key, held, origin: originOf(nameOf(key) ?? "") };
  });
}

/** A resource that hands a key out decides about it, before one that only knows it. */
const WEIGHTS: readonly Role[] = ["current", "previous", "to be revoked", "kept"];

interface Unsorted extends Omit<JoinedKey, "held" | "origin"> {
  readonly held: KeyOfStack[];
}

interface Listed extends Unsorted {
  readonly record: ApiKeyRecord;
}

function joined(lists: readonly ReadList[], inStates: readonly KeyOfStack[]): readonly Unsorted[] {
  const listed = new Map<string, Listed>();
  for (const list of lists) {
    for (const record of list.keys ?? []) {
      const same = JSON.stringify([list.origin, record.id, record.name, record.createdAt]);
      getOrCreate(listed, same, () => ({ record, lists: [], held: [] })).lists.push(list);
    }
  }
  const byId = new Map<string, Listed[]>();
  for (const key of listed.values()) getOrCreate(byId, key.record.id, () => []).push(key);
  const missing = new Map<string, Unsorted>();
  for (const key of inStates) {
    const own = lists.find(({ fingerprint }) => fingerprint === key.fingerprint);
    // In another account, another key can have the same id.
    const [one, ...more] = (byId.get(key.id) ?? []).filter((each) =>
      own === undefined ? canBe(each.record, key) : each.lists.includes(own),
    );
    const live = more.length === 0 ? one : undefined;
    // A key counts as gone only if the list is the one that last showed it, which the state records.
    const goneFrom = live === undefined && own?.keys !== undefined ? own : undefined;
    const same = JSON.stringify([key.id, key.name, goneFrom?.origin, key.scope]);
    const found = live ?? getOrCreate(missing, same, () => ({ record: undefined, lists: [], goneFrom, held: [] }));
    found.held.push(key);
  }
  return [...listed.values(), ...missing.values()];
}

/** Whether the name of a listed key is that of one in a state, which has no name of a key that is only to be revoked. */
function canBe({ name }: ApiKeyRecord, key: StateKey): boolean {
  return key.name === undefined ? [undefined, key.suffix].includes(suffixIn(name)) : name === key.name;
}

const nameOf = ({ record, held }: Pick<JoinedKey, "record" | "held">): string | undefined =>
  record?.name ?? held.find(({ name }) => name !== undefined)?.name;

/** What a key that a list has and none of the given states holds is, apart from a credential. */
export function unheldFlagOf({ record, held, origin }: JoinedKey, now: number): ReturnType<typeof unheldFlag> {
  return record === undefined || held.length > 0 ? undefined : unheldFlag(record, origin, now);
}

/** Shows a key. `hasStates`: whether any state was given. */
export function describe(key: JoinedKey, { now, credentials, ...terms }: Terms & { readonly hasStates: boolean }) {
  const { record, lists, goneFrom, held, origin } = key;
  const { hasStates, unusedFor = UNUSED_MS, olderThan } = terms;
  const [first] = held;
  const name = nameOf(key);
  const status = record !== undefined ? "live" : goneFrom !== undefined ? "gone" : "not found";
  const places = record !== undefined ? lists : [goneFrom ?? first?.scope].filter((place) => place !== undefined);
  const noState = hasStates ? unheldFlagOf(key, now) : undefined;
  const unheld = noState === "unmanaged" && record && credentials.has(record) ? "credential" : noState;
  const deadline = expiresAt(name);
  const isExpired = status === "live" && deadline !== undefined && Date.parse(deadline) <= now;
  const next = nextStep(first, { status, deadline, isExpired, unheld, hasStates }, now);
  const isSet: Record<Flag, boolean> = {
    expired: isExpired,
    overdue: status === "live" && !isExpired && next.isDue && next.after !== undefined,
    orphan: unheld === "orphan",
    unmanaged: unheld === "unmanaged",
    credential: unheld === "credential",
    gone: status === "gone",
    "not found": status === "not found",
    unused: record !== undefined && ageOf(record.lastUsedAt ?? record.createdAt, now) >= unusedFor,
    "older-than": record !== undefined && olderThan !== undefined && ageOf(record.createdAt, now) >= olderThan,
    "several states": new Set(held.map(({ stack }) => stack)).size > 1,
  };
  return {
    id: record?.id ?? first?.id ?? "",
    name,
    status,
    accounts: places.map(labelOf),
    createdAt: readTime(record?.createdAt) ?? first?.createdAt,
    lastUsedAt: record?.lastUsedAt,
    lastUsedFromAddr: record?.lastUsedFromAddr ?? undefined,
    createdBy: record?.createdBy,
    projectId: record?.projectId,
    stack: first?.stack ?? origin?.state.stack,
    /** URN of the resource that holds it, else of the one whose name it has. */
    resource: first?.urn ?? origin?.urn,
    holders: holdersOf(key),
    rotateAt: first?.rotateAt,
    revokeAfter: first?.revokeAfter,
    expiresAt: deadline,
    next,
    flags: FLAGS.filter((flag) => isSet[flag]),
  };
}

/** The resources that hold a key, the one that decides about it first. */
export function holdersOf({ held }: Pick<JoinedKey, "held">) {
  return held.map(({ stack, urn, resource, type, role, stays, isSealed, consumers }) => {
    return { stack, urn, resource, type, role, stays, isSealed, consumers };
  });
}

/** `(default)`, `eu`, or `eu, org-white-meadow`. A name that can be a secret in the wrong place is not shown. */
export function labelOf({ account, organizationId }: Scope): string {
  const name = account === undefined ? "(default)" : shownAccount(account);
  return [name, ...(organizationId === undefined ? [] : [organizationId])].join(", ");
}

export function countFlags(keys: readonly Pick<ShownKey, "flags">[]): Partial<Record<Flag, number>> {
  const counts: Partial<Record<Flag, number>> = {};
  for (const flag of keys.flatMap(({ flags }) => flags)) counts[flag] = (counts[flag] ?? 0) + 1;
  return counts;
}
