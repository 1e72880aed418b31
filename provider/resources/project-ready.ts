import { parseDuration } from "../duration";
import { checkId } from "../ids";
import type { Call } from "../keys/call";
import { types } from "../keys/field-types";
import { sdkFields } from "../keys/fields";
import { waitOptions } from "../keys/readiness";
import { accountFailures, accountField } from "../keys/scope";
import type { FieldRule, InputsOf } from "../schema/fields";
import { atBorder, inputsIn } from "./resource";

const fields = {
  ...sdkFields,
  ...accountField,
  projectId: { type: types.projectId, required: true, change: "replace" },
  triggers: { type: types.map, change: "update" },
  operationIds: { type: types.listOf(types.operationId), change: "update" },
  operationTimeout: { type: types.timeout, change: "update" },
  ignoreActions: { type: types.listOf(types.text), change: "update" },
  horizon: { type: types.duration, change: "update" },
} as const satisfies Record<string, FieldRule>;

type Inputs = InputsOf<typeof fields>;

/** Is created when no operation of its project is pending. It owns nothing on the service. */
export const projectReady = atBorder<Inputs, Inputs>({
  name: "ProjectReady",
  hasKeys: false,
  fields,
  outputs: [],

  readState: (outputs) => inputsIn<Inputs>(fields, outputs),

  writeState: (state) => ({ ...state }),

  rules: accountFailures,

  stable: () => [],

  async create(inputs, call) {
    await wait(inputs, call);
    return { id: inputs.projectId, state: inputs };
  },

  // A refresh does not wait, because a busy project is not drift.
  read: async (state) => state,

  async update(_state, inputs, call) {
    await wait(inputs, call);
    return { state: inputs };
  },

  async import(id, _key, inputs) {
    const found = { ...inputs, projectId: checkId("project", id, "id") };
    return { id, inputs: found, state: found };
  },

  delete: async () => {},
});

async function wait(inputs: Inputs, call: Call): Promise<void> {
  const { projectId, operationIds = [], ignoreActions, horizon } = inputs;
  const { operations } = call.keyList.account;
  const options = waitOptions(inputs, call);
  const ids = operationIds.map((id) => ({ projectId, id }));
  if (ids.length > 0) await operations.wait(ids, options);
  else await operations.waitUntilIdle(projectId, { ...options, ignoreActions, horizonMs: parseDuration(horizon) });
}
