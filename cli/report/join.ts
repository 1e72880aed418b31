import type { ApiKeyRecord } from "../../provider/api";
import { formatDuration, isoOf } from "../../provider/duration";
import { getOrCreate } from "../../provider/get-or-create";
import { expiresAt } from "../../provider/keys/deadline";
import { markIn } from "../../provider/keys/naming";
import type { Scope } from "../../provider/keys/scope";
import { shownAccount } from "../../provider/text";
import { VERSION } from "../../provider/version";
import { ageOf, countFlags } from "../keys/inventory";
import { originsIn, unheldFlag } from "../state/orphans";
import { type Role, readTime, type StateKey } from "../state/state-keys";
import { latestOf, type ReadState } from "../state/states";

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

/** Everything that a report shows, and the output of `--json`. It contains no secret. */
export type Report = ReturnType<typeof joinReport>;

export type ReportKey = ReturnType<typeof describe>;

/** The flags of a key in the order in which they need attention. docs/cli.md explains them. */
export const FLAGS = [
  ...(["expired", "overdue", "left-behind", "unmanaged", "gone", "not found"] as const),
  ...(["unused", "several states", "previous"] as const),
] as const;

type Flag = (typeof FLAGS)[number];

/** What happens to a key next, if nobody changes the program. */
interface NextStep {
  readonly action: "rotate" | "replace" | "revoke" | "wait" | "create" | "stay" | "decide" | "none";
  /** Whether the next `pulumi up` does it. */
  readonly isDue: boolean;
  /** ISO 8601 time before which it does not happen. */
  readonly after?: string;
  /** The same in words. */
  readonly text: string;
}

interface Terms {
  /** The service's time, in milliseconds. */
  readonly now: number;
  /** The time after which an unused key is flagged, in milliseconds. */
  readonly unusedFor: number;
}

/** A key in a state, and the stack of the state. */
type KeyOfStack = StateKey & { readonly stack: string };

/** A live key, with every list that contains it. */
interface LiveKey {
  readonly record: ApiKeyRecord;
  readonly lists: ReadList[];
}

/** A key of the service or of the states, before it is described. */
interface Joined {
  /** The key as it is listed; `undefined` if it is not live. */
  readonly listed: LiveKey | undefined;
  /** The list that had it, if it is gone. */
  readonly goneFrom?: ReadList | undefined;
  /** The key in each state that holds it, the one that decides what happens next first. */
  readonly held: KeyOfStack[];
}

/**
 * Joins lists of keys with states, the keys first that are due first. Pure: the same sources at the same time give the
 * same report.
 */
export function joinReport(
  { lists, states }: { readonly lists: readonly ReadList[]; readonly states: readonly ReadState[] },
  terms: Terms,
) {
  const latest = latestOf(states);
  const originOf = originsIn([...latest]);
  const inStates = [...latest].flatMap(({ keys, stack }) => keys.map((key) => ({ ...key, stack })));
  const keys = joined(lists, inStates).map((key) =>
    describe(key, originOf, { ...terms, hasStates: states.length > 0 }),
  );
  const order = (key: ReportKey) => dueOf(key) ?? (key.next.isDue ? "" : "\uffff");
  return {
    at: isoOf(terms.now) ?? "",
    version: VERSION,
    accounts: lists.map((list) => {
      return { label: labelOf(list), origin: list.origin, keys: list.keys?.length, problem: list.problem };
    }),
    stacks: states.map((state) => ({
      ...{ stack: state.stack, savedAt: readTime(state.savedAt), keys: state.keys.length },
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
export const dueOf = ({ next, revokeAfter, rotateAt }: ReportKey) => next.after ?? revokeAfter ?? rotateAt;

/** `(default)`, `eu`, or `eu, org-white-meadow`. A name that can be a secret in the wrong place is not shown. */
function labelOf({ account, organizationId }: Scope): string {
  const name = account === undefined ? "(default)" : shownAccount(account);
  return [name, ...(organizationId === undefined ? [] : [organizationId])].join(", ");
}

/** All keys, each once. Two credentials of one account list the same keys. */
function joined(lists: readonly ReadList[], inStates: readonly KeyOfStack[]): readonly Joined[] {
  const listed = new Map<string, LiveKey>();
  for (const list of lists) {
    for (const record of list.keys ?? []) {
      const same = JSON.stringify([list.origin, record.id, record.name, record.createdAt]);
      getOrCreate(listed, same, () => ({ record, lists: [] })).lists.push(list);
    }
  }
  const byId = new Map<string, LiveKey[]>();
  for (const key of listed.values()) getOrCreate(byId, key.record.id, () => []).push(key);
  const found = new Map<unknown, Joined>();
  for (const key of listed.values()) found.set(key, { listed: key, held: [] });
  for (const key of inStates) {
    const own = lists.find(({ fingerprint }) => fingerprint === key.fingerprint);
    // In another account, another key can have the same id.
    const [one, ...more] = (byId.get(key.id) ?? []).filter((each) =>
      own === undefined ? hasNameOf(each.record, key) : each.lists.includes(own),
    );
    const live = more.length === 0 ? one : undefined;
    // A key counts as gone only if the list is the one that last showed it, which the state records.
    const goneFrom = live === undefined && own?.keys !== undefined ? own : undefined;
    const same = live ?? JSON.stringify([key.id, key.name, goneFrom?.origin, key.scope]);
    getOrCreate(found, same, () => ({ listed: undefined, goneFrom, held: [] })).held.push(key);
  }
  return [...found.values()];
}

/** Whether a listed key has the name of one in a state. A state has no name of a key that is only to be revoked. */
function hasNameOf({ name }: ApiKeyRecord, key: StateKey): boolean {
  return key.name === undefined ? key.mark !== undefined && markIn(name) === key.mark : name === key.name;
}

/** A resource that hands a key out decides about it, before one that only knows it. */
const WEIGHTS: readonly Role[] = ["current", "previous", "to be revoked", "kept"];

function describe(
  { listed, goneFrom, held: unsorted }: Joined,
  originOf: ReturnType<typeof originsIn>,
  { now, unusedFor, hasStates }: Terms & { readonly hasStates: boolean },
) {
  const held = unsorted.toSorted((one, other) => WEIGHTS.indexOf(one.role) - WEIGHTS.indexOf(other.role));
  const [first] = held;
  const record = listed?.record;
  const name = record?.name ?? held.find((key) => key.name !== undefined)?.name;
  const origin = originOf(name ?? "");
  const status = listed !== undefined ? "live" : goneFrom !== undefined ? "gone" : "not found";
  const places = listed?.lists ?? [goneFrom ?? first?.scope].filter((place) => place !== undefined);
  const unheld = hasStates && first === undefined && record !== undefined ? unheldFlag(record, origin, now) : undefined;
  const deadline = expiresAt(name);
  const isExpired = status === "live" && deadline !== undefined && Date.parse(deadline) <= now;
  const next = nextStep(first, { status, deadline, isExpired, unheld, hasStates }, now);
  const isUnused = record !== undefined && ageOf(record.lastUsedAt ?? record.createdAt, now) >= unusedFor;
  const isSet: Record<Flag, boolean> = {
    expired: isExpired,
    overdue: status === "live" && !isExpired && next.isDue && next.after !== undefined,
    "left-behind": unheld === "left-behind",
    unmanaged: unheld === "unmanaged",
    gone: status === "gone",
    "not found": status === "not found",
    unused: isUnused,
    "several states": new Set(held.map(({ stack }) => stack)).size > 1,
    previous: first?.role === "previous",
  };
  return {
    ...{ id: record?.id ?? first?.id ?? "", name, status, accounts: places.map(labelOf) },
    createdAt: readTime(record?.createdAt) ?? first?.createdAt,
    lastUsedAt: record?.lastUsedAt,
    lastUsedFromAddr: record?.lastUsedFromAddr ?? undefined,
    createdBy: record?.createdBy,
    projectId: record?.projectId ?? undefined,
    stack: first?.stack ?? origin?.state.stack,
    /** URN of the resource that holds it, else of the one whose name it has. */
    resource: first?.urn ?? origin?.urn,
    holders: held.map(({ stack, urn, resource, type, role, isSealed, consumers }) => {
      return { stack, urn, resource, type, role, isSealed, consumers };
    }),
    ...{ rotateAt: first?.rotateAt, revokeAfter: first?.revokeAfter, expiresAt: deadline, next },
    flags: FLAGS.filter((flag) => isSet[flag]),
  };
}

const step = (action: NextStep["action"], text: string): NextStep => ({ action, isDue: false, text });

const dueStep = (action: NextStep["action"], text: string): NextStep => ({ action, isDue: true, text });

export const minuteOf = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

/** What happens to a key next, by the deciding resource that holds it. */
function nextStep(
  held: StateKey | undefined,
  key: {
    readonly status: "live" | "gone" | "not found";
    readonly deadline: string | undefined;
    readonly isExpired: boolean;
    readonly unheld: Flag | undefined;
    readonly hasStates: boolean;
  },
  now: number,
): NextStep {
  const { status, deadline, isExpired, unheld, hasStates } = key;
  if (deadline !== undefined && (isExpired || held === undefined)) return reaped(deadline, now);
  if (held === undefined) return unheldStep(unheld, { hasStates });
  return status === "live" ? heldStep(held, now) : missingStep(held, status);
}

/** What ends a key with a deadline that has passed, or that no state holds. */
function reaped(deadline: string, now: number): NextStep {
  const isDue = Date.parse(deadline) <= now;
  const when = isDue ? "" : ` after ${minuteOf(deadline)}`;
  return { action: "revoke", isDue, after: deadline, text: `\`keyplane reap\` revokes it${when}` };
}

function unheldStep(flag: Flag | undefined, { hasStates }: { readonly hasStates: boolean }): NextStep {
  if (!hasStates) return step("none", "Unknown: no state was given");
  if (flag === "left-behind") {
    return step("decide", "An interrupted run created it. `keyplane sweep` shows whether it can be revoked");
  }
  if (flag === "unmanaged") return step("none", "No stack rotates or revokes it");
  return step("none", "A run may be about to save it, because it is young");
}

/** What happens to a key that no list contains. */
function missingStep({ role }: StateKey, status: "gone" | "not found"): NextStep {
  if (status === "not found")
    return step("none", "Unknown: its account was not asked, or is not proven to be the right one");
  if (role === "current") return step("create", "`pulumi up --refresh` creates a new key");
  return step("none", "It is gone from the account");
}

/** What happens next to a live key that a state holds. */
function heldStep(key: StateKey, now: number): NextStep {
  const { role, previousId } = key;
  if (role === "to be revoked") return dueStep("revoke", "The next `pulumi up` revokes it");
  if (role === "kept") return step("stay", "Stays live: it was kept on purpose, or its resource is gone");
  if (role === "previous") {
    const orUnused = key.requiredId === undefined ? "" : `, or key ${key.requiredId} was never used`;
    return timed("revoke", { verb: `revokes it, unless it is in use${orUnused}`, after: key.revokeAfter }, now);
  }
  const { isPending, wanted, opens } = key.nextAt(now);
  if (isPending) return dueStep("wait", "The next `pulumi up` waits until it is ready");
  const [action, verb] =
    key.type === "ApiKey" ? (["replace", "replaces it"] as const) : (["rotate", "rotates it"] as const);
  if (wanted === "after the previous key")
    return step(action, `The first \`pulumi up\` after key ${previousId} is revoked ${verb}`);
  if (wanted === "now") return timed(action, { verb, after: undefined }, now);
  if (key.rotateAt === undefined) return step("stay", "No date is set. A change of its triggers rotates it");
  // A window that nobody used opens again.
  const after = opens !== undefined && opens > now ? isoOf(opens) : key.rotateAt;
  return timed(action, { verb, after, where: opens === undefined ? "" : " inside its window" }, now);
}

function timed(
  action: NextStep["action"],
  { verb, after, where = "" }: { readonly verb: string; readonly after: string | undefined; readonly where?: string },
  now: number,
): NextStep {
  if (after === undefined) return dueStep(action, `The next \`pulumi up\` ${verb}`);
  const late = now - Date.parse(after);
  const text =
    late < 0
      ? `The first \`pulumi up\`${where} after ${minuteOf(after)} ${verb}`
      : `The next \`pulumi up\` ${verb}. It has been due for ${formatDuration(late)}`;
  return { action, after, isDue: late >= 0, text };
}
