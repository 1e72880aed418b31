import type { KeyplaneError } from "../errors";
import type { Call } from "../keys/call";
import type { Members } from "../members";
import type { Checked } from "../schema/check";
import type { Compared } from "../schema/diff";
import type { FieldRule, Planned } from "../schema/fields";

/** A resource as a verb has left it. */
export interface Result<State = Members> {
  readonly state: State;
  /** Why it is not as the program wants it. The engine records the state and fails the run, and the next `up` goes on. */
  readonly problem?: KeyplaneError | undefined;
}

export interface Made<State = Members> extends Result<State> {
  readonly id: string;
}

/** A resource that was taken over, with the inputs of a program that leaves it as it is. */
export interface Imported<Inputs = Members, State = Members> extends Made<State> {
  readonly inputs: Inputs;
}

/** A resource type: its fields as data, and its verbs. */
interface Verbs<Inputs, State> extends Checked<Planned<Inputs>>, Compared<Planned<Inputs>, State> {
  /** Public outputs that are not inputs. */
  readonly outputs: readonly string[];
  /** Those that the resource does not always have. */
  readonly canBeAbsent?: readonly string[];
  /** Those that need an input, by its name. */
  readonly onlyWith?: Readonly<Record<string, readonly string[]>>;
  /** Those outputs that an update does not change. Called with the new inputs. */
  readonly stable: (state: State, inputs: Planned<Inputs>, now: number) => readonly string[];
  /** Whether its resources have keys. */
  readonly hasKeys: boolean;
  /** @param replaced - The state of the resource that the new one replaces in the same scope. */
  readonly create: (inputs: Inputs, call: Call, replaced: State | undefined) => Promise<Made<State>>;
  /** The current state; `undefined` if the resource is proven to be gone. */
  readonly read: (state: State, call: Call) => Promise<State | undefined>;
  readonly update: (state: State, inputs: Inputs, call: Call) => Promise<Result<State>>;
  /**
   * Takes over what exists on the service.
   * @param id - The id on the service.
   * @param key - The secret of a key, if it is known.
   * @param inputs - The scope.
   */
  readonly import: (
    id: string,
    key: string | undefined,
    inputs: Inputs,
    call: Call,
  ) => Promise<Imported<Inputs, State>>;
  readonly delete: (state: State, call: Call) => Promise<void>;
}

/** What a file declares of a resource type. */
type Declared<Inputs, State> = Verbs<Inputs, State> & {
  readonly readState: (outputs: Members) => State;
  readonly writeState: (state: State) => Members;
};

/** A resource type as its callers use it: they pass checked inputs and outputs, which only the type itself can read. */
export type ResourceType = Verbs<Members, Members>;

/**
 * A resource type as its callers use it. This is the only place where outputs become a state, and a state outputs. The
 * callers have checked the inputs, so these have the types of the fields.
 */
export function atBorder<Inputs extends object, State>(declared: Declared<Inputs, State>): ResourceType {
  const { readState, writeState, ...type } = declared as unknown as Declared<Members, State>;
  const reading = <Rest extends unknown[], Answer>(verb: ((state: State, ...rest: Rest) => Answer) | undefined) =>
    verb && ((outputs: Members, ...rest: Rest) => verb(readState(outputs), ...rest));
  const writing = <Answer extends Result<State>>(answer: Answer) => ({ ...answer, state: writeState(answer.state) });
  return {
    ...type,
    inForce: reading(type.inForce),
    due: reading(type.due),
    stable: (outputs, inputs, now) => type.stable(readState(outputs), inputs, now),
    create: async (inputs, call, replaced) => writing(await type.create(inputs, call, replaced && readState(replaced))),
    read: async (outputs, call) => {
      const state = await type.read(readState(outputs), call);
      return state && writeState(state);
    },
    update: async (outputs, inputs, call) => writing(await type.update(readState(outputs), inputs, call)),
    import: async (...given) => writing(await type.import(...given)),
    delete: (outputs, call) => type.delete(readState(outputs), call),
  };
}

/** The inputs in the outputs of a resource. */
export function inputsIn<Inputs>(fields: Readonly<Record<string, FieldRule>>, outputs: Members): Inputs {
  const inputs: Record<string, unknown> = {};
  for (const name in fields) if (outputs[name] !== undefined) inputs[name] = outputs[name];
  return inputs as Inputs;
}
