import { parseDuration } from "../duration";
import { checkId } from "../ids";
import { sdkFields } from "../keys/key-fields";
import { operationTimeout } from "../keys/readiness";
import { accountFailures, accountField } from "../keys/scope";
import { types } from "../schema/field-types";
import type { Context, Properties, ResourceType } from "../schema/resource-type";

/** A gate that is ready when no operation of its project is pending. It owns nothing on the service. */
export const projectReady: ResourceType = {
  name: "ProjectReady",

  fields: {
    ...sdkFields,
    ...accountField,
    projectId: { type: types.projectId, required: true, change: "replace" },
    triggers: { type: types.map, change: "update" },
    operationIds: { type: types.listOf(types.operationId), change: "update" },
    operationTimeout: { type: types.timeout, change: "update" },
    ignoreActions: { type: types.listOf(types.text), change: "update" },
    horizon: { type: types.duration, change: "update" },
  },

  outputs: [],

  rules: accountFailures,

  async create(inputs, context) {
    await wait(inputs, context);
    return { id: String(inputs.projectId), outputs: inputs };
  },

  // A refresh does not wait, because a busy project is not drift.
  read: async (_id, outputs) => outputs,

  async update(id, _outputs, inputs, context) {
    await wait(inputs, context);
    return { ...inputs, projectId: id };
  },

  async import(id, _key, inputs) {
    const found = { ...inputs, projectId: checkId("project", id, "id") };
    return { id, inputs: found, outputs: found };
  },

  delete: async () => {},
};

async function wait(inputs: Properties, context: Context): Promise<void> {
  const projectId = String(inputs.projectId);
  const operationIds = inputs.operationIds as readonly string[] | undefined;
  const { operations } = context.account();
  const options = {
    timeoutMs: operationTimeout(inputs, context),
    onProgress: ({ text }: { readonly text: string }) => context.progress(text),
    onWarning: context.warn,
  };
  if (operationIds !== undefined && operationIds.length > 0) {
    await operations.wait(
      operationIds.map((id) => ({ projectId, id })),
      options,
    );
  } else {
    await operations.waitUntilIdle(projectId, {
      ...options,
      ignoreActions: inputs.ignoreActions as readonly string[] | undefined,
      horizonMs: parseDuration(inputs.horizon),
    });
  }
}
