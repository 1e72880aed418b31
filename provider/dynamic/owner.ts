import { randomUUID } from "node:crypto";
import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import { accountIn } from "../keys/account-fingerprint";
import { mustBeSameAccount } from "../keys/account-guard";
import { identityOf, markIn } from "../keys/identity";
import { sdkFields, textsOf } from "../keys/key-fields";
import { hasTagOf } from "../keys/names";
import { isRenamedFrom } from "../keys/renamed";
import { accountFailures, scopeFields } from "../keys/scope";
import { formatKey, settleUnknown } from "../keys/unknown-keys";
import { types } from "../schema/field-types";
import type { Context, Due, Failure, Properties, ResourceType } from "../schema/resource-type";

/** How many of the last runs the state has on record. A run that fails before its sweep leaves its keys to a later one. */
const RUNS = 10;

/** The stack that an owner belongs to. */
const STACK = ["project", "stack", "organization"] as const;

/**
 * The owner of a stack's keys: a random id, saved in the state before any key is created. Names of projects and stacks
 * are not unique, so ownership is not derived from them. A copied stack gets a new owner, because a copy must not claim
 * the keys of the original. So does a renamed one, unless the setting `renamedFrom` names its former name.
 *
 * It also guards the account: with another credential, nothing is created before a list shows a key of this owner.
 */
export const owner: ResourceType = {
  name: "Owner",

  fields: {
    ...sdkFields,
    ...scopeFields,
    project: { type: types.text, required: true, change: "ignore" },
    stack: { type: types.text, required: true, change: "ignore" },
    // Version 0.1 did not record it.
    organization: { type: types.text, change: "ignore" },
    /** Ids of the last runs, which the names of their keys begin with. */
    runs: { type: types.listOf(types.text), change: "ignore", internal: true },
    /** The first key of the program, for messages. Not saved: it changes when the program's lines move. */
    firstKey: { type: types.text, change: "ignore", internal: true },
  },

  outputs: ["identity"],

  // The engine saves the inputs of every run before it creates a key, also if nothing else of the owner changes.
  completed: ({ firstKey, ...inputs }, before, { runId }) => ({
    ...inputs,
    runs: [...textsOf(before.runs), ...(runId === undefined ? [] : [runId])].slice(-RUNS),
  }),

  // Every key depends on its owner, so invalid settings are reported here, once, before anything is created.
  rules(inputs, context) {
    context.run.hasProgram = true;
    return accountFailures(inputs, context).map((failure) => namingKey(failure, inputs));
  },

  due(outputs, inputs, terms) {
    const due: Due[] = [];
    const [recorded, here] = [markIn(outputs.identity), terms.accountMark?.()];
    if (recorded !== here) {
      const why = "the credential or the address changed, so keyplane checks that it is the same account";
      const isMoved = recorded !== undefined && accountIn(recorded) !== accountIn(here);
      due.push({ field: "accountFingerprint", replace: false, ...(isMoved && { why }) });
    }
    const moved = STACK.filter((field) => outputs[field] !== undefined && outputs[field] !== inputs[field]);
    const isRenamed = isRenamedFrom(outputs, inputs, terms.renamedFrom?.() ?? []);
    return [...due, ...moved.map((field) => ({ field, replace: !isRenamed }))];
  },

  // The list proves that the credential works. Otherwise a mistyped one would be recorded for the stack's account.
  async create(inputs, context) {
    await context.keys().list({ fresh: true });
    context.run.isNewOwner = true;
    const id = randomUUID();
    return { id, outputs: outputsOf(identityOf(id, context.accountMark()), inputs) };
  },

  async read(id, outputs, context) {
    await mustBeSameAccount(identityOfOwner(id, outputs), context);
    return outputsOf(identityOf(id, context.accountMark()), outputs);
  },

  async update(id, outputs, inputs, context) {
    await mustBeSameAccount(identityOfOwner(id, outputs), context);
    return outputsOf(identityOf(id, context.accountMark()), inputs);
  },

  // In a destroy, or if the program no longer uses the scope, all keys that the stack held there are gone by now. A key
  // that still has the stack's tag was left behind, and nothing looks for it later. An owner that a running program
  // replaces, because its stack was copied or renamed, leaves its keys.
  async delete(id, outputs, context) {
    if (context.run.hasProgram) return;
    const identity = identityOfOwner(id, outputs);
    await mustBeSameAccount(recordedIn(outputs), context);
    const list = await context.keys().list();
    const ours = list.filter(({ name }) => hasTagOf(name, id));
    const isKept = (key: ApiKeyRecord) => context.run.held.has(key.id) || context.run.kept.has(key.id);
    for (const key of ours.filter(isKept)) reportKept(key, context);
    const unknown = ours.filter((key) => !isKept(key));
    const { left } = await settleUnknown({ unknown, identity, recordedSince: context.run.heldSince }, context);
    if (left.length > 0) {
      throw new KeyplaneError(
        "KP-REVOKE",
        `could not revoke key ${left.join(", ")}, which an interrupted run left behind. Run the command again`,
      );
    }
  },
};

/** The failure with the key that declares the owner, because no program declares an owner. */
function namingKey(failure: Failure, { firstKey }: Properties): Failure {
  if (typeof firstKey !== "string") return failure;
  return { ...failure, property: failure.property === "" ? firstKey : `${firstKey}: ${failure.property}` };
}

function outputsOf(identity: string, { runs, ...inputs }: Properties): Properties {
  return { ...inputs, identity };
}

function recordedIn({ identity }: Properties): string | undefined {
  return typeof identity === "string" ? identity : undefined;
}

/** Version 0.1 did not record the account. An unknown account must be proven, too. */
function identityOfOwner(id: string, outputs: Properties): string {
  return recordedIn(outputs) ?? identityOf(id, "");
}

/** Reports a live key that was in the state but that a `destroy` did not revoke. */
function reportKept(key: ApiKeyRecord, { run, info, warn }: Context): void {
  const why = run.kept.get(key.id);
  if (why !== undefined) info(`key ${formatKey(key)} stays live: ${why}`);
  else {
    warn(
      `key ${formatKey(key)} stays live: Pulumi removed its resource without deleting it, because of retainOnDelete, ` +
        "deletedWith or `pulumi state delete`. If nobody needs it, revoke it in the console",
    );
  }
}
