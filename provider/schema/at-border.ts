import type { Given, Outputs, Properties } from "./outputs";
import { NotReady, type ResourceType } from "./resource-type";

/**
 * A resource type as its callers use it. This is the only place where outputs become a state, and a state outputs. The
 * callers have checked the inputs, so these have the types of the fields.
 */
export function atBorder<Inputs extends object, State>(
  declared: ResourceType<Inputs, State> & {
    /** Reads outputs, also those of former versions. */
    readonly readState: (outputs: Properties) => State;
    readonly writeState: (state: State) => Outputs;
  },
): ResourceType {
  const { readState, writeState } = declared;
  const type = declared as unknown as ResourceType<Given, State>;
  const reading = <Rest extends unknown[], Answer>(verb: ((state: State, ...rest: Rest) => Answer) | undefined) =>
    verb && ((outputs: Outputs, ...rest: Rest) => verb(readState(outputs), ...rest));
  const writing = async <Answer extends { readonly outputs: State }>(verb: Promise<Answer>) => {
    try {
      const answer = await verb;
      return { ...answer, outputs: writeState(answer.outputs) };
    } catch (error) {
      throw error instanceof NotReady ? new NotReady(error.id, writeState(error.outputs), error.message) : error;
    }
  };
  const { import: take } = type;
  return {
    ...type,
    inForce: reading(type.inForce),
    stable: reading(type.stable),
    due: reading(type.due),
    compromised: reading(type.compromised),
    holds: reading(type.holds),
    deleteBeforeReplace: reading(type.deleteBeforeReplace),
    create: (inputs, context) => writing(type.create(inputs, context)),
    read: async (id, outputs, context) => {
      const before = readState(outputs);
      const state = await type.read(id, before, context);
      // A read that changes nothing migrates no state of a former version.
      return state === before ? outputs : state && writeState(state);
    },
    update: async (id, outputs, inputs, context) => {
      const update = async () => ({ outputs: await type.update(id, readState(outputs), inputs, context) });
      return (await writing(update())).outputs;
    },
    import: take && ((...args) => writing(take(...args))),
    delete: (id, outputs, context) => type.delete(id, readState(outputs), context),
  };
}
