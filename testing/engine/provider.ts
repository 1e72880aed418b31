/** What the engine asks of whatever manages a resource. */
import type { Properties } from "./property";

/** An input that `check` found wrong. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** How `diff` judged the difference between what is and what is wanted. */
export interface DiffAnswer {
  /** Undefined where the provider leaves the judgement to the engine. */
  readonly changes?: boolean;
  /** The inputs that make it a replacement. */
  readonly replaceKeys: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** What a resource is after an operation on it. */
export interface Live {
  readonly id: string;
  readonly outputs: Properties;
  /** Why it is not ready, where the operation took effect without finishing. */
  readonly initErrors?: readonly string[];
}

/** What `read` found. Its id is empty where the resource is gone. */
export interface ReadAnswer extends Live {
  /** The inputs that would make it what it is, where the provider knows them. */
  readonly inputs?: Properties;
}

/**
 * Manages resources of one package. Values come with their secrets and unknowns. Each method fails with an Error when
 * the operation had no effect that is known.
 */
export interface Provider {
  /** @param keepUnknowns whether unknown inputs are passed on, as in a preview; else they are left out. */
  check(
    urn: string,
    olds: Properties,
    news: Properties,
    keepUnknowns: boolean,
  ): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  /** @param keepUnknowns as in `check`. */
  diff(request: DiffRequest, keepUnknowns: boolean): Promise<DiffAnswer>;
  /** In a preview nothing is created: the inputs are the outputs, the id is empty. */
  create(urn: string, inputs: Properties, preview: boolean): Promise<Live>;
  /** In a preview nothing is updated: the new inputs are the outputs. */
  update(request: DiffRequest, preview: boolean): Promise<Live>;
  read(urn: string, id: string, inputs: Properties, outputs: Properties): Promise<ReadAnswer>;
  delete(urn: string, id: string, inputs: Properties, outputs: Properties): Promise<void>;
}

/** A resource as it is, and the inputs wanted for it. */
export interface DiffRequest {
  readonly urn: string;
  readonly id: string;
  readonly oldInputs: Properties;
  readonly oldOutputs: Properties;
  readonly newInputs: Properties;
  readonly ignoreChanges: readonly string[];
}
