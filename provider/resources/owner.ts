import { randomUUID } from "node:crypto";
import { KeyplaneError } from "../errors";
import { types } from "./fields";
import { sdkFields } from "./key-fields";
import type { Kind } from "./kind";
import { orphansIn, sweepOrphans, warnOfLostNames } from "./orphans";
import { accountFailures, placeFields } from "./place";

/**
 * Who owns a stack's keys: a random id, in saved state before any key is made. Names of projects and stacks are not
 * unique, so ownership is minted, never derived. A stack of another name (renamed, or copied) gets a new owner: a
 * copy must not claim the original's keys. Makes no request, but at its end.
 */
export const owner: Kind = {
  name: "Owner",

  fields: {
    ...sdkFields,
    ...placeFields,
    project: { type: types.text, required: true, change: "replace" },
    stack: { type: types.text, required: true, change: "replace" },
  },

  // Every key depends on its owner: settings that cannot work are said here, once, before anything is made.
  rules(inputs, context) {
    context.run.hasProgram = true;
    return accountFailures(inputs, context);
  },

  create: async (inputs) => ({ id: randomUUID(), outputs: inputs }),
  read: async (_id, outputs) => outputs,
  update: async (_id, _outputs, inputs) => inputs,

  // In a destroy, or where the program has left the place, all that the stack held there is gone by now: what bears its
  // tag still is an orphan, and nobody comes after to find it. An owner that a running program replaces, because its
  // stack was copied or renamed, leaves its keys.
  async delete(id, _outputs, context) {
    if (context.run.hasProgram) return;
    const keys = await context.keys().list({ fresh: true });
    warnOfLostNames(keys, id, context);
    const left = await sweepOrphans(orphansIn(keys, id, context.run.held), context);
    if (left.length > 0) {
      throw new KeyplaneError(
        "KP-REVOKE",
        `could not revoke key ${left.join(", ")}, which an interrupted run has left behind: run the command again`,
      );
    }
  },
};
