import type { dynamic } from "@pulumi/pulumi";
import { messageOf } from "../errors";
import { noteHolder } from "../keys/holders";
import { check } from "../schema/check";
import { type Outputs, readOutputs } from "../schema/outputs";
import type { Context, ResourceType } from "../schema/resource-type";
import { compareResource } from "../session/compare-resource";
import { Session } from "../session/session";
import { createAgain } from "../session/unready-resources";
import { fromPulumi, fromState, markSecrets, SECRET_OUTPUTS, toPulumi, toState, type Values } from "../session/values";
import { reasonsOf, runVerb, type Verb, VerbError } from "../session/verb";
import { toMessage } from "../text";
import { onCancel, pulumiModules } from "./pulumi-internals";

const session = new Session(pulumiModules);
let isConfigured = false;

/** Turns a resource type into the provider that Pulumi's dynamic host calls. */
export function adapt(type: ResourceType): dynamic.ResourceProvider<Record<string, unknown>, Record<string, unknown>> {
  return {
    async configure({ config }) {
      session.configure((key) => config.get(`keyplane:${key}`));
      if (!isConfigured) onCancel(() => session.cancellation.cancel());
      isConfigured = true;
    },

    check: (olds, news) =>
      run({ type, name: "check", values: news }, async (context) => {
        const { inputs, failures } = check(type, fromPulumi(news), context, readOutputs(fromPulumi(olds)));
        session.noteCheck(context.urn, inputs);
        return {
          inputs: toPulumi(inputs),
          failures: (await reasonsOf(failures)).map((reason) => ({ property: "", reason })),
        };
      }),

    diff: (id, olds, news) =>
      run({ type, name: "diff", values: news, held: olds }, async (context, outputs) => {
        const compared = { type, id, outputs, inputs: readOutputs(fromPulumi(news)) };
        const { reasons, changes, replaces, deleteBeforeReplace } = compareResource(session, compared, context);
        for (const reason of reasons) context.info(reason);
        return { changes, replaces: [...replaces], deleteBeforeReplace };
      }),

    create: (inputs) =>
      run({ type, name: "create", values: inputs }, async (context, given) => {
        const made = await session.unready.run(context.urn, (before) =>
          before ? createAgain(type, before, given, context) : type.create(given, context),
        );
        noteHolder(type, made, context);
        return { id: made.id, outs: written(type, made.outputs) };
      }),

    read: (id, olds = {}) =>
      run({ type, name: "read", values: olds }, async (context, state) => {
        session.noteRead(id, context.urn);
        const outputs = await type.read(id, state, context);
        // An empty result reports that the resource is gone.
        return outputs === undefined ? {} : { id, props: written(type, outputs) };
      }),

    update: (id, olds, news) =>
      run({ type, name: "update", values: news, held: olds }, async (context, state) => {
        const made = await session.unready.run(context.urn, async ({ outputs } = { id, outputs: state }) => {
          return { id, outputs: await type.update(id, outputs, readOutputs(fromPulumi(news)), context) };
        });
        noteHolder(type, made, context);
        return { outs: written(type, made.outputs) };
      }),

    delete: (id, olds) =>
      run({ type, name: "delete", values: olds }, (context, state) => type.delete(id, state, context)),
  };
}

/**
 * Runs one verb with the state of its resource, or with its inputs if it has none. The SDK passes the resource's URN as an
 * input, because the host does not.
 */
async function run<T>(
  verb: Pick<Verb, "type" | "name"> & { readonly values: Values; readonly held?: Values },
  body: (context: Context, state: Outputs) => Promise<T>,
): Promise<T> {
  const { type, name, values, held } = verb;
  const given = readOutputs(fromState(values));
  const state = held === undefined ? given : readOutputs(fromState(held));
  // The state of the owner, which a run with `--target` can leave out.
  session.noteRecorded(given);
  const urn = given.resourceUrn ?? state.resourceUrn ?? "";
  // A change of the scope moves a resource only when it is replaced.
  const place = name === "diff" ? state : given;
  try {
    return await runVerb(session, { type, name, urn, values: place, held: state }, (context) => body(context, state));
  } catch (error) {
    throw toHostError(error, type, values);
  }
}

/** The outputs to record. Marked here, too, because a transformation in the program can remove the SDK's options. */
function written({ canBeAbsent }: ResourceType, outputs: Outputs): Values {
  return markSecrets(toState(outputs, canBeAbsent), SECRET_OUTPUTS);
}

/** The error that the host gets. An `id` means "exists, not ready". */
function toHostError(error: unknown, type: ResourceType, { __provider }: Values): Error {
  const message = toMessage(messageOf(error));
  // The host prints the text and the stack of some errors beside the engine, which shows the message at its resource.
  const shown = Object.assign(new Error(message), {
    toString: () => "keyplane",
    stack: "a resource failed, see its error",
  });
  if (!(error instanceof VerbError) || error.notReady === undefined) return shown;
  const { id, outputs } = error.notReady;
  // The host adds `__provider` to every result but this one. Without it, the resource could never be deleted.
  const properties = { ...written(type, outputs), __provider };
  return Object.assign(shown, { id, properties, reasons: [message] });
}
