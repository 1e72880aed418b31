import type { CreatedKey } from "../api/records";
import { parseDuration } from "../duration";
import { type ApiError, isAborted, isAnswerLost, isApiError, isOtherKey, KeyplaneError, messageOf } from "../errors";
import type { Context, LostRequests } from "../schema/resource-type";
import type { SealedTexts } from "../seal/recipients";
import { forget } from "../secrets";
import type { NameClaim } from "./clear-name";
import type { KeyInputs } from "./key-fields";
import { fateOfLost, findLostKey } from "./lost-request";
import { autoName, formatListed, MAX_NAMES, nameInUrn, prefixFrom } from "./names";
import { revokeCommand } from "./scope";
import type { Sealer } from "./sealing";

/** Pauses between requests for a name whose key was revoked, in milliseconds. */
const FREE_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];

const AGAIN = "Run `pulumi up` again";

/** What a creation has left to clean up. */
interface Left {
  readonly lost: LostRequests;
  /** Ids of keys that nobody holds and that could not be revoked yet. */
  readonly pendingRevocations: readonly string[];
}

interface NewKey extends Left {
  readonly created: CreatedKey;
  /** The sealed secret, which is recorded instead of the secret; absent without recipients. */
  readonly sealedKey?: SealedTexts | undefined;
}

/** No key was created, but a key was left behind, or may appear later. */
export class NotCreated extends Error {
  constructor(
    /** The id or the name of what was left. */
    readonly id: string,
    readonly left: Left & { readonly name: string },
    reason: string,
  ) {
    super(reason);
  }
}

/** The inputs of a key that is to be created. Only an `ApiKey` can have an exact name. */
type NamedInputs = KeyInputs & Omit<NameClaim, "name"> & { readonly name?: string | undefined };

/** What the attempts for one key have left behind so far. */
interface Leftovers {
  readonly lostNames: string[];
  /** Keys that were created, but could neither be delivered nor revoked. */
  readonly orphans: { readonly id: string; readonly name: string }[];
}

/**
 * Creates exactly one key. If the answer to a request for a generated name is lost, the key that it created is found by
 * its name and revoked before the next request, because its secret is lost. Never loses an id or a name: what can be
 * neither delivered nor revoked is returned, or, if no key can be created, thrown as `NotCreated`.
 */
export function createKey(inputs: NamedInputs, context: Context): Promise<NewKey> {
  return context.creating(create(inputs, context));
}

async function create(inputs: NamedInputs, context: Context): Promise<NewKey> {
  const left: Leftovers = { lostNames: [], orphans: [] };
  try {
    // Loaded on demand, because most keys are not sealed.
    const sealer = inputs.sealTo && (await (await import("./sealing.js")).sealerFor(inputs.sealTo));
    await context.beforeCreate?.(context);
    const { name } = inputs;
    const created = await (name === undefined
      ? createNamed(inputs, left, context)
      : createExact({ ...inputs, name }, context)
    ).catch((error: unknown) => revokeOther(error, left, context));
    context.noteCreated(created.id);
    const sealedKey = sealer && (await sealOrRevoke(created, sealer, left, context));
    return { created, sealedKey, ...leftOf(left, context) };
  } catch (error) {
    // If a key was left behind, or may appear later, the resource is recorded although it has no key. It is due for
    // replacement, so that the next run creates a key and revokes this one.
    const [orphan] = left.orphans;
    const name = orphan?.name ?? left.lostNames.at(-1);
    if (name === undefined) throw error;
    throw new NotCreated(orphan?.id ?? name, { name, ...leftOf(left, context) }, messageOf(error));
  }
}

function leftOf({ lostNames, orphans }: Leftovers, context: Context): Left {
  const lostAt = () => new Date(context.account().serviceNow()).toISOString();
  const lost = lostNames.length === 0 ? {} : { lostNames, lostAt: lostAt() };
  return { lost, pendingRevocations: orphans.map(({ id }) => id) };
}

/** Revokes a key that the service has created with another scope than requested. Throws every error on. */
async function revokeOther(error: unknown, left: Leftovers, context: Context): Promise<never> {
  if (!isOtherKey(error)) throw error;
  const isGone = await revokeOrphan(error.created, "whose scope is another than requested,", left, context);
  const end = isGone ? "is revoked again" : "is still to be revoked";
  const remedy =
    "Check projectId, and whether the service supports keys that are limited to a project. If a key with this scope will " +
    "do, set or remove projectId accordingly";
  throw new KeyplaneError(error.code, `${error.message}. Nobody got the key, and it ${end}. ${remedy}`, error);
}

/** Seals a new key. Revokes it if that fails, because it must not be recorded in readable form. */
async function sealOrRevoke({ id, key, name }: CreatedKey, sealer: Sealer, left: Leftovers, context: Context) {
  try {
    return await sealer(key);
  } catch (error) {
    forget(key);
    const isGone = await revokeOrphan({ id, name }, "which could not be sealed,", left, context);
    const end = isGone ? "is revoked again" : "is still to be revoked";
    throw new KeyplaneError("KP-SEAL", `key ${id} could not be sealed, so it ${end}: ${messageOf(error)}`);
  }
}

/**
 * Creates a key with a given name. A key that has the name after a lost request stays: somebody else may have taken the
 * name in the meantime, so it proves nothing about the key.
 */
async function createExact(inputs: KeyInputs & NameClaim, context: Context): Promise<CreatedKey> {
  const { name } = inputs;
  // Loaded on demand, because an exact name is rare.
  const { clearName } = await import("./clear-name.js");
  await clearName(inputs, context);
  for (let attempt = 1; ; attempt++) {
    try {
      const created = await createWhenFree(inputs, context);
      if (attempt > 1) {
        context.warn(
          `a request for a key ${name} got no answer, and the service may still carry it out. Then a second key has the name, ` +
            "which no resource has. Look for it with `npx keyplane keys`",
        );
      }
      return created;
    } catch (error) {
      if (!isAnswerLost(error) && !(attempt > 1 && isTaken(error))) throw error;
      context.progress(`the answer to the creation of ${name} was lost; checking whether a key has the name`);
      const found = await findLostKey(name, error, () => false, context);
      if (found === undefined && attempt < MAX_NAMES) continue;
      const state =
        found === undefined
          ? `No key has the name ${name}. ${AGAIN}`
          : `Key ${formatListed(found)} has the name now. It can be the key of this request, whose secret is lost, or somebody ` +
            `else's. Nothing was revoked. If nobody needs it, run \`${revokeCommand(found.id, context.scope)}\`. Then run \`pulumi up\` again`;
      throw new KeyplaneError("KP-UNSETTLED", `${error.message}. ${state}`, error);
    }
  }
}

/** Creates a key with a given name. If this run has revoked a key of the name, waits until the service frees the name. */
async function createWhenFree({ name, projectId }: KeyInputs & NameClaim, context: Context): Promise<CreatedKey> {
  for (const pause of context.keys().hasRevokedName(name) ? FREE_PAUSES_MS : []) {
    try {
      return await context.keys().create(name, { projectId });
    } catch (error) {
      if (!isTaken(error)) throw error;
      context.progress(`waiting until the service frees the name ${name}, whose key this run has revoked`);
      await context.account().sleep(pause);
    }
  }
  return context.keys().create(name, { projectId });
}

const isTaken = (error: unknown): error is ApiError => isApiError(error) && error.kind === "conflict";

async function createNamed(inputs: NamedInputs, left: Leftovers, context: Context): Promise<CreatedKey> {
  const prefix = inputs.namePrefix ?? prefixFrom(nameInUrn(context.urn));
  const maxAgeMs = parseDuration(inputs.maxAge);
  // A deadline is a time of the service. An earlier answer may have shown its clock.
  if (maxAgeMs !== undefined && context.account().skewMs === undefined) await context.keys().list({ recent: true });
  for (let attempt = 1; ; attempt++) {
    const expiresAt = maxAgeMs && context.account().serviceNow() + maxAgeMs;
    const name = autoName(prefix, inputs.owner, context.nonce(), expiresAt);
    try {
      return await context.keys().create(name, { projectId: inputs.projectId });
    } catch (error) {
      // Nobody else ever requests a generated name, so a key with it is ours.
      if (!isAnswerLost(error) && !isTaken(error)) throw error;
      context.progress(`the answer to the creation of ${name} was lost; checking whether the key exists`);
      await revokeLost(name, error, left, context);
      if (attempt < MAX_NAMES) continue;
      const reason = `${error.message}. No key was created; the last name tried was ${name}. ${AGAIN}`;
      throw new KeyplaneError("KP-UNSETTLED", reason, error);
    }
  }
}

/** Revokes the key of a lost request, or notes what is left of it. */
async function revokeLost(name: string, lost: KeyplaneError, left: Leftovers, context: Context): Promise<void> {
  // Recorded first: if the list cannot be read, the next run looks for the name.
  left.lostNames.push(name);
  context.run.lostNames.add(name);
  const found = await findLostKey(name, lost, (key) => fateOfLost(key).fate !== "revoke", context);
  if (found === undefined) {
    if (isAnswerLost(lost)) return;
    // Only an earlier attempt of this request can have taken the name. The list does not show its key yet.
    throw lost;
  }
  left.lostNames.pop();
  await revokeOrphan({ id: found.id, name }, "which a request created whose answer was lost,", left, context);
}

/** Revokes a key that cannot be delivered, or notes it. Returns whether it is gone. */
async function revokeOrphan(
  orphan: Leftovers["orphans"][number],
  what: string,
  left: Leftovers,
  context: Context,
): Promise<boolean> {
  try {
    // The service does not know a new key everywhere at once. So one that it does not find may be live.
    if ((await context.keys().revoke(orphan.id)) === "revoked") return true;
    left.orphans.push(orphan);
    return false;
  } catch (error) {
    left.orphans.push(orphan);
    if (isAborted(error)) throw error;
    context.warn(`key ${orphan.id}, ${what} could not be revoked: ${messageOf(error)}`);
    return false;
  }
}
