import { randomUUID } from "node:crypto";
import { isKeyplaneError } from "../errors";
import { types } from "./fields";
import { sdkFields } from "./key-fields";
import type { Kind } from "./kind";

/**
 * Who owns a stack's keys: a random id, in saved state before any key is made. Names of projects and stacks are not
 * unique, so ownership is minted, never derived. A stack of another name (renamed, or copied) gets a new owner: a
 * copy must not claim the original's keys. Makes no request.
 */
export const owner: Kind = {
  name: "Owner",

  fields: {
    ...sdkFields,
    project: { type: types.text, required: true, change: "replace" },
    stack: { type: types.text, required: true, change: "replace" },
  },

  // Every key depends on its owner: settings that cannot work are said here, once, before anything is made.
  rules(_inputs, context) {
    try {
      context.settings();
      return [];
    } catch (error) {
      if (!isKeyplaneError(error)) throw error;
      return [{ property: "", reason: error.message }];
    }
  },

  create: async (inputs) => ({ id: randomUUID(), outputs: inputs }),
  read: async (_id, outputs) => outputs,
  update: async (_id, _outputs, inputs) => inputs,
  delete: async () => {},
};
