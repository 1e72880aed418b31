import type { CreatedKey } from "../api/records";
import { isAnswerLost, isApiError, KeyplaneError, messageOf } from "../errors";
import { type Context, NotReady, type Properties } from "../schema/resource-type";
import { clearName } from "./clear-name";
import { projectLimitOf } from "./key-fields";
import { revokeLostKey } from "./lost-key";
import { autoName } from "./names";

/** Maximum number of names to try for one key, with one request each. */
const MAX_NAMES = 3;

/** How far the service's `createdAt`, in whole seconds, can be before our estimate of its clock, in milliseconds. */
const CREATED_AT_TOLERANCE_MS = 2_000;

const AGAIN = "Run `pulumi up` again";

/** A new key, and what its creation has left to clean up. */
export interface NewKey {
  readonly created: CreatedKey;
  /** Names of requests whose answer was lost and whose key never showed up. */
  readonly lostNames: readonly string[];
  /** Ids of keys that nobody holds and that could not be revoked yet. */
  readonly pendingRevocations: readonly string[];
}

/** How to name a key. */
export type Naming =
  | { readonly prefix: string; readonly identity: string }
  | { readonly exactName: string; readonly onConflict: "fail" | "revokeUnused" };

/** What the attempts for one key have left behind so far. */
interface Leftovers {
  readonly lostNames: string[];
  /** Keys that were created, but could neither be delivered nor revoked. */
  readonly orphans: { readonly id: string; readonly name: string }[];
}

/**
 * Creates exactly one key. If the answer to a request is lost, the key that it created is found by its name and revoked
 * before the next request, because its secret is lost. Never loses an id: a key that can be neither delivered nor
 * revoked is returned in `pendingRevocations`, or, if no key can be created, thrown as `NotReady` with its id.
 */
export async function createKey(naming: Naming, inputs: Properties, context: Context): Promise<NewKey> {
  const left: Leftovers = { lostNames: [], orphans: [] };
  try {
    await context.beforeCreate?.(context);
    const created = await makeKey(naming, inputs, left, context);
    return { created, lostNames: left.lostNames, pendingRevocations: left.orphans.map((orphan) => orphan.id) };
  } catch (error) {
    throw recorded(left, error);
  }
}

async function makeKey(naming: Naming, inputs: Properties, left: Leftovers, context: Context): Promise<CreatedKey> {
  const account = context.account();
  const { projectId } = projectLimitOf(inputs);
  const isExact = "exactName" in naming;
  const strangers = isExact ? await clearName(naming, context) : new Set<string>();
  // Nobody else ever uses an auto-name.
  const notBefore = isExact ? account.serviceNow() - CREATED_AT_TOLERANCE_MS : Number.NEGATIVE_INFINITY;

  for (let attempt = 1; ; attempt++) {
    const name = isExact ? naming.exactName : autoName(naming.prefix, naming.identity);
    try {
      return await context.keys().create(name, { projectId });
    } catch (error) {
      if (!mayBeOurs(error, isExact && left.lostNames.length === 0)) throw error;
      context.progress(`the answer to the creation of ${name} was lost; checking whether the key exists`);
      const settled = await revokeLostKey({ name, strangers, notBefore, lost: error }, context);
      if (settled.kept !== undefined) left.orphans.push({ id: settled.kept, name });
      if (!settled.found) left.lostNames.push(name);
      // A name that is still taken cannot be requested again.
      if (attempt >= MAX_NAMES || (settled.kept !== undefined && isExact)) {
        const reason = `${error.message}. No key was created; the last name tried was ${name}. ${AGAIN}`;
        throw new KeyplaneError("KP-UNSETTLED", reason, error);
      }
    }
  }
}

/**
 * Whether this creation may have left a live key: its answer was lost, or its name is taken. An exact name may have
 * been taken by somebody else meanwhile, so it also requires a lost request of our own.
 */
function mayBeOurs(error: unknown, takenByOthers: boolean): error is KeyplaneError {
  return isAnswerLost(error) || (isApiError(error) && error.kind === "conflict" && !takenByOthers);
}

/**
 * The error to throw. If a key was left behind, the resource is recorded under that key's id and is due for
 * replacement, so that the next run creates a new key and revokes this one.
 */
function recorded({ lostNames, orphans }: Leftovers, error: unknown): unknown {
  const [orphan] = orphans;
  if (orphan === undefined) return error;
  const outputs: Properties = {
    name: orphan.name,
    pending: [{ action: "create", status: "failed" }],
    pendingRevocations: orphans.map(({ id }) => id),
    lostNames,
  };
  return new NotReady(orphan.id, outputs, messageOf(error));
}
