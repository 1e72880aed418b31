import { randomUUID } from "node:crypto";
import type { ApiKeyRecord } from "../api/records";
import { accountIn } from "../keys/account-fingerprint";
import { mustBeSameAccount } from "../keys/account-guard";
import { formerName, identityOf, isRenamedFrom, markIn } from "../keys/identity";
import { sdkFields } from "../keys/key-fields";
import { formatListed, hasTagOf, isAutoName } from "../keys/names";
import { mustBeRevoked } from "../keys/revoke-key";
import { accountFailures, revokeCommand, scopeFields } from "../keys/scope";
import { settleUnknown } from "../keys/unknown-keys";
import { textOf } from "../members";
import { atBorder } from "../schema/at-border";
import { type FieldRule, type InputsOf, types } from "../schema/field-types";
import type { Due } from "../schema/resource-type";

/** How many of the last runs the state has on record. A run that fails before its sweep leaves its keys to a later one. */
export const RECORDED_RUNS = 10;

const fields = {
  ...sdkFields,
  ...scopeFields,
  project: { type: types.text, required: true, change: "ignore" },
  stack: { type: types.text, required: true, change: "ignore" },
  // Version 0.1 did not record it.
  organization: { type: types.text, change: "ignore" },
  /** The last runs: their ids, which the nonces of their keys begin with, and their starts. */
  runs: { type: types.listOf(types.text), change: "ignore", internal: true },
  /** The first key of the program, for messages. Not saved: it changes when the program's lines move. */
  firstKey: { type: types.text, change: "ignore", internal: true },
} as const satisfies Record<string, FieldRule>;

type Inputs = InputsOf<typeof fields>;

/** The state of an owner: the inputs, except the runs, and its identity. Version 0.1 did not record the account. */
type OwnerState = Inputs & { readonly identity: string | undefined };

/**
 * The owner of a stack's keys: a random id, saved in the state before any key is created. Names of projects and stacks
 * are not unique, so ownership is not derived from them. A copied stack gets a new owner, because a copy must not claim
 * the keys of the original. So does a renamed one, unless the setting `renamedFrom` names its former name.
 *
 * It also guards the account: with another credential, nothing is created before a list shows a key of this owner.
 */
export const owner = atBorder<Inputs, OwnerState>({
  name: "Owner",

  fields,

  outputs: ["identity"],

  readState: (outputs) => ({ ...(outputs as Inputs), identity: textOf(outputs.identity) }),

  writeState: ({ runs, ...state }) => state,

  // The engine saves the inputs of every run before it creates a key, also if nothing else of the owner changes.
  completed: ({ firstKey, ...inputs }, before, { runRecord }) => ({
    ...inputs,
    runs: [...(before.runs ?? []), ...(runRecord === undefined ? [] : [runRecord])].slice(-RECORDED_RUNS),
  }),

  // Every key depends on its owner, so invalid settings are reported here, once, before anything is created.
  rules(inputs, context) {
    context.run.hasProgram = true;
    return accountFailures(inputs, context);
  },

  // No program declares an owner.
  declaredAs: ({ firstKey }) => (typeof firstKey === "string" ? firstKey : undefined),

  due(state, inputs, terms) {
    const due: Due[] = [];
    const [recorded, here] = [markIn(state.identity), terms.accountMark?.()];
    if (recorded !== here) {
      const why = "the credential or the address changed, so keyplane checks that it is the same account";
      const isMoved = recorded !== undefined && accountIn(recorded) !== accountIn(here);
      due.push({ field: "accountFingerprint", replace: false, ...(isMoved && { why }) });
    }
    const isRenamed = isRenamedFrom(state, inputs, terms.renamedFrom?.() ?? []);
    const former = formerName(state, inputs);
    if (former === undefined) return due;
    return [...due, { field: "stack", replace: !isRenamed, why: `the name of the stack was ${former}` }];
  },

  // The list proves that the credential works. Otherwise a mistyped one would be recorded for the stack's account.
  async create(inputs, context) {
    await context.keys().list({ fresh: true });
    context.run.isNewOwner = true;
    const id = randomUUID();
    return { id, outputs: { ...inputs, identity: identityOf(id, context.accountMark()) } };
  },

  async read(id, state, context) {
    await mustBeSameAccount(recordedIdentity(id, state), context);
    return { ...state, identity: identityOf(id, context.accountMark()) };
  },

  async update(id, state, inputs, context) {
    await mustBeSameAccount(recordedIdentity(id, state), context);
    return { ...inputs, identity: identityOf(id, context.accountMark()) };
  },

  // In a destroy, or if the program no longer uses the scope, all keys that the stack held there are gone by now. A key
  // that still has the stack's tag was left behind, and nothing looks for it later. An owner that a running program
  // replaces, because its stack was copied or renamed, leaves its keys.
  async delete(id, state, context) {
    if (context.run.hasProgram) return;
    const identity = recordedIdentity(id, state);
    await mustBeSameAccount(state.identity, context);
    const list = await context.keys().list();
    const { record, held } = context.run.ledger;
    const isHeld = (key: ApiKeyRecord) => held.has(key.id);
    const isOurs = (key: ApiKeyRecord) => hasTagOf(key.name, id) || (isHeld(key) && !isAutoName(key.name));
    const ours = list.filter((key) => isOurs(key) && !context.run.kept.has(key.id));
    for (const key of ours.filter(isHeld)) {
      context.warn(
        `key ${formatListed(key)} stays live: Pulumi removed its resource without deleting it, because of retainOnDelete, ` +
          `deletedWith or \`pulumi state delete\`. If nobody needs it, run \`${revokeCommand(key.id, context.scope)}\``,
      );
    }
    const unknown = ours.filter((key) => !isHeld(key));
    const { left } = await settleUnknown({ unknown, identity, ...record }, context, { fresh: true });
    mustBeRevoked(left, ", which an interrupted run left behind");
  },
});

/** The recorded identity. An unknown account must be proven, too. */
const recordedIdentity = (id: string, { identity }: OwnerState): string => identity ?? identityOf(id, "");
