import { randomUUID } from "node:crypto";
import { KeyplaneError } from "../errors";
import { mustBeSameAccount } from "../keys/account-guard";
import { fingerprintIn, identityOf } from "../keys/identity";
import { sdkFields } from "../keys/key-fields";
import { orphansIn, reportKept, sweepOrphans, warnOfLostNames } from "../keys/orphans";
import { accountFailures, scopeFields } from "../keys/scope";
import { types } from "../schema/field-types";
import type { Properties, ResourceType } from "../schema/resource-type";

/**
 * The owner of a stack's keys: a random id, saved in the state before any key is created. Names of projects and stacks
 * are not unique, so ownership is not derived from them. A renamed or copied stack gets a new owner, because a copy
 * must not claim the keys of the original.
 *
 * It also guards the account: with another credential, nothing is created before a list shows a key of this owner.
 */
export const owner: ResourceType = {
  name: "Owner",

  fields: {
    ...sdkFields,
    ...scopeFields,
    project: { type: types.text, required: true, change: "replace" },
    stack: { type: types.text, required: true, change: "replace" },
    // Version 0.1 did not record it.
    organization: { type: types.text, change: "replace", unsetUpdates: true },
  },

  outputs: ["identity"],

  // Every key depends on its owner, so invalid settings are reported here, once, before anything is created.
  rules(inputs, context) {
    context.run.hasProgram = true;
    return accountFailures(inputs, context);
  },

  due({ identity }, _inputs, { fingerprint }) {
    const recorded = fingerprintIn(identity);
    if (recorded === fingerprint?.()) return [];
    const why =
      recorded === undefined
        ? undefined
        : "the credential or the address changed, so keyplane checks that it is the same account";
    return [{ field: "accountFingerprint", replace: false, ...(why && { why }) }];
  },

  // The list proves that the credential works. Otherwise a mistyped one would be recorded for the stack's account.
  async create(inputs, context) {
    await context.keys().list({ fresh: true });
    context.run.isNewOwner = true;
    const id = randomUUID();
    return { id, outputs: { ...inputs, identity: identityOf(id, context.fingerprint()) } };
  },

  async read(id, outputs, context) {
    await mustBeSameAccount(identityIn(id, outputs), context);
    return { ...outputs, identity: identityOf(id, context.fingerprint()) };
  },

  async update(id, outputs, inputs, context) {
    await mustBeSameAccount(identityIn(id, outputs), context);
    return { ...inputs, identity: identityOf(id, context.fingerprint()) };
  },

  // In a destroy, or if the program no longer uses the scope, all keys that the stack held there are gone by now. A key
  // that still has the stack's tag was left behind, and nothing looks for it later. An owner that a running program
  // replaces, because its stack was copied or renamed, leaves its keys.
  async delete(id, outputs, context) {
    if (context.run.hasProgram) return;
    await mustBeSameAccount(recordedIn(outputs), context);
    const keys = await context.keys().list();
    warnOfLostNames(keys, id, context);
    reportKept(keys, id, context);
    const left = await sweepOrphans(orphansIn(keys, id, context.run.held, context), context);
    if (left.length > 0) {
      throw new KeyplaneError(
        "KP-REVOKE",
        `could not revoke key ${left.join(", ")}, which an interrupted run left behind. Run the command again`,
      );
    }
  },
};

function recordedIn({ identity }: Properties): string | undefined {
  return typeof identity === "string" ? identity : undefined;
}

/** Version 0.1 did not record the account. An unknown account must be proven, too. */
function identityIn(id: string, outputs: Properties): string {
  return recordedIn(outputs) ?? identityOf(id, "");
}
