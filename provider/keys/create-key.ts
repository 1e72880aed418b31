import type { CreatedKey } from "../api/records";
import { isAnswerLost, isApiError, KeyplaneError, messageOf } from "../errors";
import { type Context, NotReady, type Properties } from "../schema/resource-type";
import { clearName } from "./clear-name";
import { projectLimitOf } from "./key-fields";
import { revokeLostKey } from "./lost-key";
import { autoName } from "./names";

/** At most so many names are tried for one key; each carries one request. */
const MAX_NAMES = 3;

/** By how much the service's `createdAt`, in whole seconds, can lie before what its clock is taken for here. */
const CREATED_AT_TOLERANCE_MS = 2_000;

const AGAIN = "Run `pulumi up` again";

/** A key that was made, and what its making has left to be looked after. */
export interface NewKey {
  readonly created: CreatedKey;
  /** Names of requests whose answer was lost and whose key never showed up. */
  readonly lostNames: readonly string[];
  /** Ids of keys that nobody holds and that could not be revoked yet. */
  readonly pendingRevocations: readonly string[];
}

/** What a key is to be called. */
export type Naming =
  | { readonly prefix: string; readonly owner: string }
  | { readonly exactName: string; readonly onConflict: "fail" | "revokeUnused" };

/** What the attempts for one key have left behind so far. */
interface Leftovers {
  readonly lostNames: string[];
  /** Keys that were made, cannot be delivered and could not be revoked. */
  readonly orphans: { readonly id: string; readonly name: string }[];
}

/**
 * Makes exactly one key. A request whose answer is lost is settled before another goes out: what it made is found by
 * its name and revoked, because its secret is lost. Never throws away an id: a key that can be neither delivered nor
 * revoked comes back as `pendingRevocations`, or, when no key can be made, as `NotReady` with that id.
 */
export async function createKey(naming: Naming, inputs: Properties, context: Context): Promise<NewKey> {
  const left: Leftovers = { lostNames: [], orphans: [] };
  try {
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
  // An auto-name is nobody else's at any time.
  const notBefore = isExact ? account.serviceNow() - CREATED_AT_TOLERANCE_MS : Number.NEGATIVE_INFINITY;

  for (let attempt = 1; ; attempt++) {
    const name = isExact ? naming.exactName : autoName(naming.prefix, naming.owner);
    try {
      return await context.keys().create(name, { projectId });
    } catch (error) {
      if (!mayBeOurs(error, isExact && left.lostNames.length === 0)) throw error;
      context.progress(`the answer to the creation of ${name} was lost; checking whether the key exists`);
      const settled = await revokeLostKey({ name, strangers, notBefore, lost: error }, context);
      if (settled.kept !== undefined) left.orphans.push({ id: settled.kept, name });
      if (!settled.found) left.lostNames.push(name);
      // A name that is still taken cannot be asked for again.
      if (attempt >= MAX_NAMES || (settled.kept !== undefined && isExact)) {
        const reason = `${error.message}. No key was created; the last name tried was ${name}. ${AGAIN}`;
        throw new KeyplaneError("KP-UNSETTLED", reason, error);
      }
    }
  }
}

/**
 * Whether a live key may stem from this creation: its answer was lost, or its name is taken. An exact name can have
 * been taken by somebody else since it was looked at, so there it takes a lost request of our own to explain it.
 */
function mayBeOurs(error: unknown, takenByOthers: boolean): error is KeyplaneError {
  return isAnswerLost(error) || (isApiError(error) && error.kind === "conflict" && !takenByOthers);
}

/**
 * The error to end with. Where a key was left behind, it is recorded under that key's id and due for replacement, so
 * that the next run makes a new key and revokes this one.
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
