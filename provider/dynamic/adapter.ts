import type { dynamic } from "@pulumi/pulumi";
import { noteHolder } from "../keys/holders";
import { check } from "../schema/check";
import type { Context, ResourceType } from "../schema/resource-type";
import { difference } from "../session/difference";
import { createAgain } from "../session/retried-creation";
import { Session } from "../session/session";
import { fromPulumi, fromState, toPulumi, toState } from "../session/values";
import { reasonsOf, runVerb, type Verb, VerbError } from "../session/verb";
import { toMessage } from "../text";
import { onCancel, pulumiModules } from "./pulumi-internals";

type Values = Record<string, unknown>;

/** The one session of this process. */
const session = new Session(pulumiModules);
let isConfigured = false;

/** Turns a resource type into the provider that Pulumi's dynamic host calls. */
export function adapt(type: ResourceType): dynamic.ResourceProvider<Values, Values> {
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
        const { inputs, failures } = check(type, fromPulumi(news), context, fromPulumi(olds));
        return {
          inputs: toPulumi(inputs),
          failures: (await reasonsOf(failures)).map((reason) => ({ property: "", reason })),
        };
      }),

    diff: (id, olds, news) =>
      run({ type, name: "diff", values: news, held: olds }, async (context) => {
        const found = difference(session, { type, id, outputs: fromState(olds), inputs: fromPulumi(news) }, context, {
          hasLedger: true,
        });
        const { reasons, changes, replaces, deleteBeforeReplace } = found;
        for (const reason of reasons) context.info(reason);
        return { changes, replaces: [...replaces], deleteBeforeReplace };
      }),

    create: (inputs) =>
      run({ type, name: "create", values: inputs }, async (context) => {
        const given = fromPulumi(inputs);
        const made = await session.creations.run(context.urn, (before) =>
          before ? createAgain(type, before, given, context) : type.create(given, context),
        );
        noteHolder(type, made, context);
        return { id: made.id, outs: toState(made.outputs, canBeAbsent) };
      }),

    read: (id, olds = {}) =>
      run({ type, name: "read", values: olds }, async (context) => {
        session.noteRead(id, context.urn);
        const outputs = await type.read(id, fromState(olds), context);
        // An empty result reports that the resource is gone.
        return outputs === undefined ? {} : { id, props: toState(outputs, canBeAbsent) };
      }),

    update: (id, olds, news) =>
      run({ type, name: "update", values: news, held: olds }, async (context) => {
        const outputs = await type.update(id, fromState(olds), fromPulumi(news), context);
        noteHolder(type, { id, outputs }, context);
        return { outs: toState(outputs, canBeAbsent) };
      }),

    delete: (id, olds) =>
      run({ type, name: "delete", values: olds }, (context) => type.delete(id, fromState(olds), context)),
  };
}

/** Runs one verb. The SDK passes the resource's URN as an input, because the host does not. */
async function run<T>(
  { type, name, values, held = values }: Omit<Verb, "urn" | "also"> & { readonly values: Values },
  body: (context: Context) => Promise<T>,
): Promise<T> {
  const urn = String(values.resourceUrn ?? held.resourceUrn ?? "");
  // The state of the owner, which a run with `--target` can leave out.
  session.noteRecorded(values);
  try {
    return await runVerb(session, { type, name, urn, values, held }, body);
  } catch (error) {
    throw toHostError(error, type, values);
  }
}

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
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof VerbError) || error.notReady === undefined) return new HostError(message);
  const { notReady } = error;
  // The host adds `__provider` to every result but this one. Without it, the resource could never be deleted.
  const properties = { ...toState(notReady.outputs, type.canBeAbsent), __provider: values.__provider };
  return new HostError(message, { id: notReady.id, properties });
}
