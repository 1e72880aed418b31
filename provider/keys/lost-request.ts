import type { ApiKeyRecord } from "../api/records";
import { isAnswerLost, KeyplaneError, messageOf } from "../errors";
import { type Members, textsOf } from "../members";
import type { Context, LostRequests } from "../schema/resource-type";
import { mustBeSameAccount } from "./account-guard";
import { type Fate, fateOf, type UnknownReason } from "./fate";
import { ownerIdIn } from "./identity";
import { isAutoName } from "./names";
import { carryOut } from "./unknown-keys";

/** When to look for the key of a lost request, in milliseconds after its answer was lost. */
const SETTLE_STEPS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

/** Maximum time in which a service may still carry out an unanswered request, in milliseconds. */
const LATEST_COMMIT_MS = 3_600_000;

/**
 * Looks for a key with the name of a lost request, until the request can hardly take effect any more. `undefined` if
 * there is none.
 * @param isOthers - Whether a key with the name cannot come from the request.
 */
export async function findLostKey(
  name: string,
  lost: KeyplaneError,
  isOthers: (key: ApiKeyRecord) => boolean,
  context: Context,
): Promise<ApiKeyRecord | undefined> {
  let waited = 0;
  // A refusal is a complete answer: that request cannot create a key later.
  for (const step of isAnswerLost(lost) ? SETTLE_STEPS_MS : [0]) {
    let keys: readonly ApiKeyRecord[];
    try {
      await context.account().sleep(step - waited);
      keys = await context.keys().list({ fresh: true });
    } catch (error) {
      // Without the list, a retry could create a second key: stop, and name the key to look for.
      throw new KeyplaneError(
        "KP-UNSETTLED",
        `${lost.message}. keyplane could not find out whether the key ${name} was created (${messageOf(error)}). ` +
          "Nothing else was sent. Run `pulumi up` again to look for the key",
        { route: lost.route, requestId: lost.requestId },
      );
    }
    waited = step;
    const found = keys.find((key) => key.name === name && !isOthers(key));
    if (found !== undefined || waited >= context.settings().requestTimeoutMs) return found;
  }
  return undefined;
}

/** The fate of a key with the random name of a lost request. */
export function fateOfLost({ lastUsedAt }: ApiKeyRecord): Fate<UnknownReason> {
  const use = lastUsedAt === null ? "never" : "used";
  const nothing = { held: "unknown", delivered: "no", otherHistory: false } as const;
  return fateOf({ kind: "unknown", use, requestedBy: "lost request", ...nothing });
}

/**
 * The lost requests in a resource's outputs. Version 0.2 recorded no time: they are older than the key. It also recorded
 * exact names, which prove nothing: the key that has one now can be the resource's own.
 */
export function lostIn({ lostNames, lostAt, createdAt, mintedBy }: Members): LostRequests {
  const names = mintedBy === undefined ? textsOf(lostNames).filter(isAutoName) : [];
  return names.length === 0 ? {} : { lostNames: names, lostAt: String(lostAt ?? createdAt) };
}

export function bothLost(earlier: LostRequests, later: LostRequests): LostRequests {
  const names = new Set([...(earlier.lostNames ?? []), ...(later.lostNames ?? [])]);
  return names.size === 0 ? {} : { ...earlier, ...later, lostNames: [...names] };
}

/**
 * Looks once for the keys of earlier lost requests, and revokes those that showed up. Returns what is still to look for:
 * nothing once no request can take effect any more.
 */
export async function settleLost(
  { lostNames: names, lostAt }: LostRequests,
  identity: string | undefined,
  context: Context,
): Promise<LostRequests> {
  if (names === undefined) return {};
  await mustBeSameAccount(identity, context);
  const keys = await context.keys().list({ fresh: true });
  const found = new Map(keys.filter(({ name }) => names.includes(name)).map((key) => [key, fateOfLost(key)]));
  const origin = "which the service created after its answer was lost";
  const { left } = await carryOut(found, { identity, origin }, context);
  const isOver = !(context.account().serviceNow() - Date.parse(lostAt ?? "") <= LATEST_COMMIT_MS);
  const open = names.filter((name) => {
    const key = keys.find((each) => each.name === name);
    return key === undefined ? !isOver : left.includes(key.id);
  });
  return open.length === 0 ? {} : { lostNames: open, ...(lostAt !== undefined && { lostAt }) };
}

/** Looks for the last time: the resource is deleted, and its state with it. */
export async function settleLostForGood(
  lost: LostRequests,
  identity: string | undefined,
  context: Context,
): Promise<void> {
  const { lostNames } = await settleLost(lost, identity, context);
  if (lostNames === undefined) return;
  context.warn(
    `the answer to the creation of ${lostNames.join(", ")} was lost, and no such key was found. If the service creates it ` +
      `later, nothing knows of it. In an hour, run \`npx keyplane sweep --owner ${ownerIdIn(identity)}\``,
  );
}
