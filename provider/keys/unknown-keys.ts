import type { ApiKeyRecord } from "../api/records";
import { keyIn } from "../key-index";
import type { Context, LedgerRecord, Look } from "../schema/resource-type";
import type { KeyRequest, Witness } from "../schema/witness";
import { MAX_SKEW_MS } from "./clock-skew";
import { type Fate, fateOf, type UnknownKey, type UnknownReason } from "./fate";
import { ownerIdIn } from "./identity";
import { formatListed, runIn } from "./names";
import { revokeAll } from "./revoke-key";
import { revokeCommand } from "./scope";

type Fates = ReadonlyMap<ApiKeyRecord, Fate<UnknownReason>>;

/** Live keys with a stack's tag, and what is known of them. */
interface UnknownKeys extends LedgerRecord {
  readonly unknown: readonly ApiKeyRecord[];
  readonly identity: string;
  /** Ids of those that resources of this run have. @default none */
  readonly held?: ReadonlySet<string>;
  /** Ids of those that complete runs had. The engine decides whether to delete them. @default none */
  readonly delivered?: ReadonlySet<string>;
}

/**
 * Decides the fate of unknown keys. The state of the stack is only read if it is needed: if a key is neither delivered
 * nor that of a lost request.
 */
export async function judgeUnknown(keys: UnknownKeys, context: Context, look?: Look): Promise<Fates> {
  const fates = (seen?: Seen) => new Map(keys.unknown.map((key) => [key, fateOf(factsOf(key, keys, context, seen))]));
  const first = fates();
  if (Array.from(first.values()).every(({ fate }) => fate !== "report")) return first;
  const witness = await context.witness(keys.identity, look);
  if (witness === undefined) return first;
  return fates({
    witness,
    otherHistory: await lacksCurrentKey(ownerIdIn(keys.identity), witness, context),
    requesters: await interruptedRequesters(keys, witness, context),
    undelivered: await undeliveredIn(keys, witness, context),
  });
}

/**
 * Ids of the keys that provably no run has delivered: a ledger has recorded all deliveries since before the key and its
 * owner were created, or the history shows that no run has delivered anything in the time that the ledger does not know.
 * A key that the ledger has already judged and let live is not one of them. With the plugin, there are none.
 */
async function undeliveredIn(
  { unknown, identity, knowsSince = Number.POSITIVE_INFINITY, sweptAt = 0 }: UnknownKeys,
  witness: Witness,
  context: Context,
): Promise<ReadonlySet<string>> {
  const madeAt = witness.madeAt(ownerIdIn(identity));
  const undelivered = new Set<string>();
  for (const { id, createdAt } of unknown) {
    // Without a time, the key may be one of them.
    if (sweptAt > 0 && !(Date.parse(createdAt) >= sweptAt)) continue;
    // The service's clock has the creation, and the clocks of machines have the runs.
    const from = Math.max(madeAt ?? Number.NaN, Date.parse(createdAt) - MAX_SKEW_MS);
    const isInLedger = knowsSince === 0 || knowsSince < from;
    const hasNoRun = async () =>
      !Number.isNaN(from) && (await context.history.mayHaveDeliveredBetween(from, knowsSince, context.urn)) === false;
    if (isInLedger || (await hasNoRun())) undelivered.add(id);
  }
  return undelivered;
}

/**
 * What requested each of these keys, if the state has it on record and its run did not succeed, or the ledger has recorded
 * what it delivered. Otherwise this state is from the middle of that run, and was restored: the run can have delivered the
 * key.
 */
async function interruptedRequesters(
  { unknown, endedRuns = [] }: UnknownKeys,
  witness: Witness,
  context: Context,
): Promise<ReadonlyMap<string, KeyRequest["by"]>> {
  const ahead = context.account().serviceNow() - context.now();
  const requesters = new Map<string, KeyRequest["by"]>();
  for (const { id, name, createdAt } of unknown) {
    const request = witness.requestOf(name);
    if (request === undefined) continue;
    // A run whose start is not on record was under way when the key was created. The history has a machine's clock.
    const { by, startedAt = Date.parse(createdAt) - ahead } = request;
    const mayHaveSucceeded =
      !endedRuns.includes(runIn(name)) && (await context.history.mayHaveSucceeded(startedAt, context.urn)) !== false;
    if (!mayHaveSucceeded) requesters.set(id, by);
  }
  return requesters;
}

async function lacksCurrentKey(ownerId: string, witness: Witness, context: Context): Promise<boolean> {
  // Requested only if this process has created a key since the last list: the state can contain it.
  const list = await context.keys().list();
  const current = witness.currentKeys(ownerId, context.scope.organizationId);
  return current.some((id) => keyIn(list, id) === undefined && !context.keys().hasRevoked(id));
}

/** What the stack's state says. */
interface Seen {
  readonly witness: Witness;
  readonly otherHistory: boolean;
  readonly requesters: ReadonlyMap<string, KeyRequest["by"]>;
  readonly undelivered: ReadonlySet<string>;
}

function factsOf(key: ApiKeyRecord, keys: UnknownKeys, context: Context, seen?: Seen): UnknownKey {
  const isLost = context.run.lostNames.has(key.name);
  return {
    kind: "unknown",
    use: key.lastUsedAt === null ? "never" : "used",
    held: keys.held?.has(key.id) ? "yes" : (seen?.witness.holds(key) ?? "unknown"),
    requestedBy: isLost ? "lost request" : (seen?.requesters.get(key.id) ?? "unknown"),
    delivered: keys.delivered?.has(key.id) ? "yes" : seen?.undelivered.has(key.id) ? "no" : "unknown",
    otherHistory: seen?.otherHistory ?? false,
  };
}

/**
 * Revokes the unknown keys that interrupted runs left behind, and reports others. The list of this run can be from its
 * beginning, so it looks again.
 * @param look - `fresh`: also at the state, which may have got one of these keys from another process of this run.
 */
export async function settleUnknown(keys: UnknownKeys, context: Context, look?: Look) {
  const list = keys.unknown.length === 0 ? [] : await context.keys().list({ recent: true });
  const unknown = keys.unknown.map((key) => keyIn(list, key.id) ?? key);
  const fates = await judgeUnknown({ ...keys, unknown }, context, look);
  return carryOut(fates, { identity: keys.identity, origin: "left behind by an interrupted run" }, context);
}

/**
 * Carries out the fates of keys that no resource of the run has. Returns the ids of those that stay live: those that are
 * still to be revoked, those that were reported, and those that something has or had.
 * @param of - The owner, and where the keys come from, for messages.
 */
export async function carryOut(
  fates: Fates,
  of: { readonly identity: string | undefined; readonly origin: string },
  context: Context,
) {
  const reported = reportUnknown(fates, context);
  const having = (wanted: Fate["fate"]) =>
    Array.from(fates).flatMap(([key, { fate }]) => (fate === wanted ? [key] : []));
  const toRevoke = having("revoke");
  // Without their age: a list has them, so that nothing waits until one must.
  const held = toRevoke.map(({ id, name }) => ({ id, name }));
  const left = await revokeAll(held, of.identity, context);
  for (const key of toRevoke.filter(({ id }) => !left.includes(id))) {
    context.info(`revoked key ${formatListed(key)}, ${of.origin}`);
  }
  return { left, reported, kept: having("keep").map(({ id }) => id) };
}

const REASONS: Readonly<Record<UnknownReason, string>> = {
  used: "it was used",
  "no state": "the state of the stack, which shows who has it, could not be read",
  "other history":
    "the account lacks a key that this stack holds: another stack, or an older state of this one, may have gone on from the same state",
  unexplained: "nothing shows that an interrupted run left it behind",
};

/** Reports keys that stay live although no resource of the run has them. Returns their ids. */
export function reportUnknown(fates: Fates, context: Context): readonly string[] {
  const reported: string[] = [];
  for (const [key, fate] of fates) {
    if (fate.fate !== "report") continue;
    reported.push(key.id);
    if (context.run.reported.has(key.id)) continue;
    context.run.reported.add(key.id);
    context.warn(
      `key ${formatListed(key)} has this stack's tag, but no resource has it. It stays live, because ${REASONS[fate.why]}. ` +
        `If nobody needs it, run \`${revokeCommand(key.id, context.scope)}\``,
    );
  }
  return reported;
}
