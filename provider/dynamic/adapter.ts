import type { dynamic } from "@pulumi/pulumi";
import { messageOf } from "../errors";
import { noteHolder } from "../keys/holders";
import { check } from "../schema/check";
import { readOutputs } from "../schema/outputs";
import type { Context, ResourceType } from "../schema/resource-type";
import { difference } from "../session/difference";
import { createAgain } from "../session/retried-creation";
import { Session } from "../session/session";
import { fromPulumi, fromState, toPulumi, toState, type Values } from "../session/values";
import { reasonsOf, runVerb, type Verb, VerbError } from "../session/verb";
import { toMessage } from "../text";
import { onCancel, pulumiModules } from "./pulumi-internals";

/** The one session of this process. */
const session = new Session(pulumiModules);
let isConfigured = false;

/** Turns a resource type into the provider that Pulumi's dynamic host calls. */
export function adapt(type: ResourceType): dynamic.ResourceProvider<Record<string, unknown>, Record<string, unknown>> {
  const { canBeAbsent } = type;
  return {
    async configure({ config }) {
      session.configure((key) => config.get(`keyplane:${key}`));
      if (!isConfigured) onCancel(() => session.cancel());
      isConfigured = true;
    },

    check: (olds, news) =>
      run({ type, name: "check", values: news }, async (context) => {
        session.noteCheck(context.urn);
        const { inputs, failures } = check(type, fromPulumi(news), context, readOutputs(fromPulumi(olds)));
        return {
          inputs: toPulumi(inputs),
          failures: (await reasonsOf(failures)).map((reason) => ({ property: "", reason })),
        };
      }),

    diff: (id, olds, news) =>
      run({ type, name: "diff", values: news, held: olds }, async (context) => {
        const compared = { type, id, outputs: readState(olds), inputs: readOutputs(fromPulumi(news)) };
        const found = difference(session, compared, context, { hasLedger: true });
        const { reasons, changes, replaces, deleteBeforeReplace } = found;
        for (const reason of reasons) context.info(reason);
        return { changes, replaces: [...replaces], deleteBeforeReplace };
      }),

    create: (inputs) =>
      run({ type, name: "create", values: inputs }, async (context) => {
        const given = readOutputs(fromPulumi(inputs));
        const made = await session.creations.run(context.urn, (before) =>
          before ? createAgain(type, before, given, context) : type.create(given, context),
        );
        noteHolder(type, made, context);
        return { id: made.id, outs: toState(made.outputs, canBeAbsent) };
      }),

    read: (id, olds = {}) =>
      run({ type, name: "read", values: olds }, async (context) => {
        session.noteRead(id, context.urn);
        const outputs = await type.read(id, readState(olds), context);
        // An empty result reports that the resource is gone.
        return outputs === undefined ? {} : { id, props: toState(outputs, canBeAbsent) };
      }),

    update: (id, olds, news) =>
      run({ type, name: "update", values: news, held: olds }, async (context) => {
        const outputs = await type.update(id, readState(olds), readOutputs(fromPulumi(news)), context);
        noteHolder(type, { id, outputs }, context);
        return { outs: toState(outputs, canBeAbsent) };
      }),

    delete: (id, olds) =>
      run({ type, name: "delete", values: olds }, (context) => type.delete(id, readState(olds), context)),
  };
}

/** Runs one verb. The SDK passes the resource's URN as an input, because the host does not. */
async function run<T>(
  {
    type,
    name,
    values,
    held = values,
  }: Pick<Verb, "type" | "name"> & { readonly values: Values; readonly held?: Values },
  body: (context: Context) => Promise<T>,
): Promise<T> {
  const [given, state] = [readOutputs(values), readOutputs(held)];
  // The state of the owner, which a run with `--target` can leave out.
  session.noteRecorded(given);
  const urn = given.resourceUrn ?? state.resourceUrn ?? "";
  try {
    return await runVerb(session, { type, name, urn, values: given, held: state }, body);
  } catch (error) {
    throw toHostError(error, type, values);
  }
}

const readState = (outputs: Values) => readOutputs(fromState(outputs));

/** The error that the host gets. It prints some errors with their stack, and an `id` means "exists, not ready". */
class HostError extends Error {
  override readonly name = "keyplane";
  readonly id?: string;
  readonly properties?: Values;
  readonly reasons?: string[];

  constructor(message: string, notReady?: { readonly id: string; readonly properties: Values }) {
    super(toMessage(message));
    // A stack would repeat the message and show paths of the user's machine.
    this.stack = "";
    if (notReady !== undefined) {
      this.id = notReady.id;
      this.properties = notReady.properties;
      this.reasons = [this.message];
    }
  }
}

function toHostError(error: unknown, type: ResourceType, values: Values): HostError {
  const message = messageOf(error);
  if (!(error instanceof VerbError) || error.notReady === undefined) return new HostError(message);
  const { notReady } = error;
  // The host adds `__provider` to every result but this one. Without it, the resource could never be deleted.
  const properties = { ...toState(notReady.outputs, type.canBeAbsent), __provider: values.__provider };
  return new HostError(message, { id: notReady.id, properties });
}
