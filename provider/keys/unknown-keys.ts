import type { ApiKeyRecord } from "../api/records";
import { keyIn } from "../key-index";
import type { Context } from "../schema/resource-type";
import type { Witness } from "../schema/witness";
import { shownName } from "../text";
import { type Fate, fateOf, type Reason, type UnknownKey } from "./fate";
import { ownerIdIn } from "./identity";
import { revokeAll } from "./revoke-key";

/** Live keys with a stack's tag, and what is known of them. */
export interface UnknownKeys {
  readonly unknown: readonly ApiKeyRecord[];
  /** The identity that their names show. */
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
export async function judgeUnknown(keys: UnknownKeys, context: Context): Promise<ReadonlyMap<ApiKeyRecord, Fate>> {
  const fates = (seen?: Seen) => new Map(keys.unknown.map((key) => [key, fateOf(factsOf(key, keys, context, seen))]));
  const first = fates();
  if (Array.from(first.values()).every(({ fate }) => fate !== "report")) return first;
  const witness = await context.witness();
  if (!witness?.knows(ownerIdIn(keys.identity))) return first;
  // Requested only if this process has created a key since the last list: the state can contain it.
  return fates({ witness, list: await context.keys().list() });
}

/** What the stack's state says, and a list that is not older than the keys in it. */
interface Seen {
  readonly witness: Witness;
  readonly list: readonly ApiKeyRecord[];
}

function factsOf(key: ApiKeyRecord, keys: UnknownKeys, context: Context, seen?: Seen): UnknownKey {
  const { run, scope } = context;
  const isLost = run.lostNames.has(key.name);
  const current = seen?.witness.currentKeys(ownerIdIn(keys.identity), scope.organizationId) ?? [];
  return {
    kind: "unknown",
    use: key.lastUsedAt === null ? "never" : "used",
    held: keys.held?.has(key.id) ? "yes" : (seen?.witness.holds(key) ?? "unknown"),
    requestedBy: isLost ? "lost request" : seen?.witness.wasRequested(key.name) ? "interrupted run" : "unknown",
    delivered: keys.delivered?.has(key.id) ?? false,
    otherHistory: current.some((id) => keyIn(seen?.list ?? [], id) === undefined && !context.keys().hasRevoked(id)),
  };
}

/** Revokes the unknown keys that interrupted runs left behind, and reports others. Returns the ids still to revoke. */
export async function settleUnknown(keys: UnknownKeys, context: Context): Promise<readonly string[]> {
  const fates = await judgeUnknown(keys, context);
  reportUnknown(fates, context);
  const doomed = keys.unknown.filter((key) => fates.get(key)?.fate === "revoke");
  const left = await revokeAll(doomed, keys.identity, context);
  for (const key of doomed.filter(({ id }) => !left.includes(id))) {
    context.info(`revoked key ${formatKey(key)}, left behind by an interrupted run`);
  }
  return left;
}

const REASONS: Partial<Readonly<Record<Reason, string>>> = {
  used: "it was used",
  "no state": "the state of the stack, which shows who has it, could not be read",
  "other history":
    "the account lacks a key that this stack holds: another stack, or an older state of this one, may have gone on from the same state",
  unexplained: "nothing shows that an interrupted run left it behind",
};

/** Reports keys that stay live although no resource of the run has them. */
export function reportUnknown(fates: ReadonlyMap<ApiKeyRecord, Fate>, { warn }: Pick<Context, "warn">): void {
  for (const [key, fate] of fates) {
    if (fate.fate !== "report") continue;
    warn(
      `key ${formatKey(key)} has this stack's tag, but no resource has it. It stays live, because ${REASONS[fate.why]}. ` +
        `If nobody needs it, run \`npx keyplane revoke ${key.id}\``,
    );
  }
}

/** Formats a key for messages. */
export function formatKey({ id, name, createdAt, lastUsedAt }: ApiKeyRecord): string {
  return `${id} (${shownName(name)}, created ${createdAt}, ${lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`})`;
}
