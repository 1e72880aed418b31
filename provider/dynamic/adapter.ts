import type { dynamic } from "@pulumi/pulumi";
import { messageOf } from "../errors";
import { type Members, textOf } from "../members";
import type { Made, ResourceType } from "../resources/resource";
import { UNKNOWN } from "../schema/fields";
import type { Answer, Target } from "../session/run-call";
import { Session } from "../session/session";
import { fromPulumi, fromState, markResource, toPulumi, toState, type Values } from "../session/values";
import {
  checkResource,
  createResource,
  deleteResource,
  diffResource,
  readResource,
  updateResource,
} from "../session/verbs";
import { toMessage } from "../text";
import { onCancel, pulumiModules } from "./pulumi-internals";

const shared = new Session(pulumiModules);

/**
 * Turns a resource type into the provider that Pulumi's dynamic host calls.
 * @param session - What its calls share. @default that of this process
 */
export function adapt(
  type: ResourceType,
  session: Session = shared,
): dynamic.ResourceProvider<Record<string, unknown>, Record<string, unknown>> {
  return {
    async configure({ config }) {
      session.configure((key) => config.get(`keyplane:${key}`), onCancel);
    },

    check: (olds, news) =>
      answering(type, news, async (target) => {
        const { __seed, ...given } = fromPulumi(news);
        const seed = seedIn(__seed, session);
        const { inputs, reasons } = await checkResource(session, target, { olds: fromPulumi(olds), news: given, seed });
        return { inputs: toPulumi(inputs), failures: reasons.map((reason) => ({ property: "", reason })) };
      }),

    diff: (id, olds, news) =>
      answering(type, news, async (target) => {
        const compared = { id, outputs: fromState(olds), inputs: fromPulumi(news) };
        const { changes, replaces } = await diffResource(session, target, compared);
        return { changes, replaces: [...replaces] };
      }),

    async create(inputs) {
      const made = await answering(type, inputs, (target) => createResource(session, target, fromState(inputs)));
      return { id: made.id, outs: outsOrThrow(type, made, inputs) };
    },

    read: (id, olds = {}) =>
      answering(type, olds, async (target) => {
        const outputs = await readResource(session, target, { id, outputs: fromState(olds) });
        // An empty result reports that the resource is gone.
        return outputs === undefined ? {} : { id, props: written(type, outputs) };
      }),

    async update(id, olds, news) {
      const change = { id, outputs: fromState(olds), inputs: fromState(news) };
      const result = await answering(type, news, (target) => updateResource(session, target, change));
      return { outs: outsOrThrow(type, { id, ...result }, news) };
    },

    delete: (id, olds) =>
      answering(type, olds, (target) => deleteResource(session, target, { id, outputs: fromState(olds) })),
  };
}

/**
 * Reads the seed of the SDK, `<organization>/<project>/<stack>/<random text>`: the name of the stack is for questions about
 * it. A preview does not know the seed, so that a plan does not fix the suffix.
 */
function seedIn(seed: unknown, session: Session): string | symbol | undefined {
  if (seed === UNKNOWN) return UNKNOWN;
  if (typeof seed !== "string") return undefined;
  const end = seed.lastIndexOf("/");
  session.stack.rememberName(seed.slice(0, end));
  return seed.slice(end + 1);
}

/** Answers one call of the host. The SDK passes the resource's URN as an input, because the host does not. */
async function answering<T>(type: ResourceType, values: Values, body: (target: Target) => Promise<T>): Promise<T> {
  try {
    return await body({ type, urn: textOf(values.resourceUrn) ?? "" });
  } catch (error) {
    throw toHostError(messageOf(error));
  }
}

/** The outputs of a state. Marked here, too, because a transformation in the program can remove the SDK's options. */
function written({ canBeAbsent }: ResourceType, outputs: Members): Values {
  return markResource(toState(outputs, canBeAbsent));
}

/** The outputs to record. With a problem, throws the error with which the host records them: one with an `id`. */
function outsOrThrow(type: ResourceType, { id, state, problem }: Answer<Made>, { __provider }: Values): Values {
  const outs = written(type, state);
  if (problem === undefined) return outs;
  // The host adds `__provider` to every result but this one. Without it, the resource could never be deleted.
  const error = toHostError(problem);
  throw Object.assign(error, { id, properties: { ...outs, __provider }, reasons: [error.message] });
}

/** The error that the host gets. */
function toHostError(text: string): Error {
  const message = toMessage(text);
  // The host prints the text and the stack of some errors beside the engine, which shows the message at its resource.
  return Object.assign(new Error(message), {
    toString: () => "keyplane",
    stack: "a resource failed, see its error",
  });
}
