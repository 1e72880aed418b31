import type { ErrorCode } from "../errors";
import type { RecordedKey } from "../keys/finding";
import { settleLeftovers } from "../keys/leftovers";
import { settleLostForGood } from "../keys/lost";
import type { Call } from "../keys/place";
import { mustBeRevoked, revokeAll } from "../keys/revoking";
import type { Left } from "../keys/state";
import type { Members } from "../members";
import type { CheckCall, Checked, Failure } from "../schema/check";
import type { Compared, Due } from "../schema/diff";
import type { FieldRule, Planned } from "../schema/field-types";

/** A resource as a verb has left it. */
export interface Made<State = Members> {
  readonly id: string;
  readonly state: State;
}

/** A resource that was taken over, with the inputs of a program that leaves it as it is. */
export interface Imported<Inputs = Members, State = Members> extends Made<State> {
  readonly inputs: Inputs;
}

/** What a file declares of a resource type: its fields as data, its state, and its verbs. */
interface Declared<Inputs, State> {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Public outputs that are not inputs. */
  readonly outputs: readonly string[];
  /** Those that the resource does not always have. */
  readonly canBeAbsent?: readonly string[];
  /** Those that need an input, by its name. */
  readonly onlyWith?: Readonly<Record<string, readonly string[]>>;
  readonly readState: (outputs: Members) => State;
  readonly writeState: (state: State) => Members;
  readonly rules?: (inputs: Planned<Inputs>, check: CheckCall, before: Members) => readonly Failure[];
  readonly inForce?: (state: State, inputs: Planned<Inputs>) => Members;
  readonly due?: (state: State, inputs: Planned<Inputs>, now: number) => readonly Due[];
  /** Those outputs that an update does not change. Called with the new inputs. @default none */
  readonly stable?: (state: State, inputs: Planned<Inputs>, now: number) => readonly string[];
  /** Ids of the keys that the resource has, or has to revoke. Absent for a resource without keys. */
  readonly holds?: (state: State) => readonly string[];
  /** @param replaced - The state of the resource that the new one replaces in the same scope. */
  readonly create: (inputs: Inputs, call: Call, replaced: State | undefined) => Promise<Made<State>>;
  /** The current state; `undefined` if the resource is proven to be gone. */
  readonly read: (state: State, call: Call) => Promise<State | undefined>;
  readonly update: (state: State, inputs: Inputs, call: Call) => Promise<State>;
  /**
   * Takes over what exists on the service; absent if the type does not support it.
   * @param id - The id on the service.
   * @param key - The secret of a key, if it is known.
   * @param inputs - The scope.
   */
  readonly import?: (
    id: string,
    key: string | undefined,
    inputs: Inputs,
    call: Call,
  ) => Promise<Imported<Inputs, State>>;
  readonly delete: (state: State, call: Call) => Promise<void>;
}

/** A resource type as its callers use it: they pass checked inputs and outputs, which only the type itself can read. */
export interface ResourceType extends Checked, Compared {
  readonly outputs: readonly string[];
  readonly canBeAbsent?: readonly string[] | undefined;
  readonly onlyWith?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly stable: (outputs: Members, inputs: Members, now: number) => readonly string[];
  readonly holds?: ((outputs: Members) => readonly string[]) | undefined;
  readonly create: (inputs: Members, call: Call, replaced: Members | undefined) => Promise<Made>;
  readonly read: (outputs: Members, call: Call) => Promise<Members | undefined>;
  readonly update: (outputs: Members, inputs: Members, call: Call) => Promise<Members>;
  readonly import?:
    | ((id: string, key: string | undefined, inputs: Members, call: Call) => Promise<Imported>)
    | undefined;
  readonly delete: (outputs: Members, call: Call) => Promise<void>;
}

/**
 * A resource type as its callers use it. This is the only place where outputs become a state, and a state outputs. The
 * callers have checked the inputs, so these have the types of the fields.
 */
export function atBorder<Inputs extends object, State>(declared: Declared<Inputs, State>): ResourceType {
  const { readState, writeState, stable, holds, import: take } = declared;
  // Checked inputs have the types of the fields.
  const type = declared as unknown as Declared<Members, State>;
  const reading = <Rest extends unknown[], Answer>(verb: ((state: State, ...rest: Rest) => Answer) | undefined) =>
    verb && ((outputs: Members, ...rest: Rest) => verb(readState(outputs), ...rest));
  const writing = async <Answer>(verb: Promise<Answer>): Promise<Answer> => {
    try {
      return await verb;
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      throw new NotReady(error.id, writeState(error.state), error.message, error.code);
    }
  };
  return {
    name: type.name,
    fields: type.fields,
    outputs: type.outputs,
    canBeAbsent: type.canBeAbsent,
    onlyWith: type.onlyWith,
    rules: type.rules,
    inForce: reading(type.inForce),
    due: reading(type.due),
    stable: (outputs, inputs, now) => stable?.(readState(outputs), inputs as Planned<Inputs>, now) ?? [],
    holds: reading(holds),
    create: async (inputs, call, replaced) => {
      const { id, state } = await writing(type.create(inputs, call, replaced && readState(replaced)));
      return { id, state: writeState(state) };
    },
    read: async (outputs, call) => {
      const state = await type.read(readState(outputs), call);
      return state && writeState(state);
    },
    update: async (outputs, inputs, call) => writeState(await writing(type.update(readState(outputs), inputs, call))),
    import:
      take &&
      (async (id, key, inputs, call) => {
        const imported = await take(id, key, inputs as Inputs, call);
        return { id: imported.id, inputs: imported.inputs as Members, state: writeState(imported.state) };
      }),
    delete: (outputs, call) => type.delete(readState(outputs), call),
  };
}

/**
 * Settles leftovers beside a creation or an update, and ends with it. The keys of the resource's own mark that could not be
 * revoked stay on record in its state, also if it is not ready.
 * @param requests - How many names the resource has requested by its state; absent for a new resource.
 */
export async function settling<State extends Left>(
  call: Call,
  requests: number | undefined,
  work: () => Promise<State>,
): Promise<State> {
  const settled = settleLeftovers(call, requests);
  const withLeft = async (state: State): Promise<State> => {
    const { own } = await settled;
    return own.length === 0
      ? state
      : { ...state, pendingRevocations: [...new Set([...state.pendingRevocations, ...own])] };
  };
  try {
    return await withLeft(await work());
  } catch (error) {
    if (error instanceof NotReady) throw new NotReady(error.id, await withLeft(error.state), error.message, error.code);
    await settled;
    throw error;
  }
}

/**
 * Settles what creations have left beside a deletion. Throws if a key stays live: the state, which has it on record, would
 * be gone.
 * @param pending - The keys that the resource has still to revoke, besides its own.
 * @param revokeOwn - Revokes its own keys.
 */
export async function settlingForGood(
  { lost, account, requests }: Left & Pick<RecordedKey, "account">,
  pending: readonly RecordedKey[],
  call: Call,
  revokeOwn: () => Promise<void>,
): Promise<void> {
  const settled = settleLeftovers(call, requests);
  await settleLostForGood(lost, account, call);
  await revokeOwn();
  mustBeRevoked(await revokeAll(pending, call));
  const { ofNotes, own } = await settled;
  mustBeRevoked([...ofNotes, ...own], ", which an interrupted run left behind");
}

/** The inputs in the outputs of a resource. */
export function inputsIn<Inputs>(fields: Readonly<Record<string, FieldRule>>, outputs: Members): Inputs {
  const inputs: Record<string, unknown> = {};
  for (const name in fields) if (outputs[name] !== undefined) inputs[name] = outputs[name];
  return inputs as Inputs;
}

/**
 * The resource exists but is not ready. It is recorded with this state, and the next `up` continues from there. Only
 * `create` and `update` throw it.
 */
export class NotReady<State = Members> extends Error {
  override readonly name = "NotReady";

  constructor(
    readonly id: string,
    readonly state: State,
    message: string,
    readonly code: ErrorCode = "KP-NOT-READY",
  ) {
    super(message);
  }
}
