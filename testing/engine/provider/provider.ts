/** The engine's interface to resource providers. */
import type { Properties } from "../state/property";

/** An invalid input that `check` found. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** The provider's comparison of a resource with its desired state. */
export interface DiffAnswer {
  /** Undefined if the provider leaves the decision to the engine. */
  readonly changes?: boolean;
  /** The inputs that cause a replacement. */
  readonly replaceKeys: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** A resource after an operation. */
export interface Live {
  readonly id: string;
  readonly outputs: Properties;
  /** Reasons why it is not ready, if the operation took effect without finishing. */
  readonly initErrors?: readonly string[];
}

/** The result of `read`. The id is empty if the resource no longer exists. */
export interface ReadAnswer extends Live {
  /** The inputs that match the real resource, if the provider knows them. */
  readonly inputs?: Properties;
}

/**
 * Manages resources of one package. Values include secrets and unknowns. Each method throws an Error if the operation
 * had no known effect.
 */
export interface Provider {
  /** @param keepUnknowns whether unknown inputs are passed on, as in a preview. Otherwise they are omitted. */
  check(
    urn: string,
    olds: Properties,
    news: Properties,
    keepUnknowns: boolean,
  ): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  /** @param keepUnknowns as in `check`. */
  diff(request: DiffRequest, keepUnknowns: boolean): Promise<DiffAnswer>;
  /** Creates a resource. In a preview, creates nothing: the inputs are the outputs, and the id is empty. */
  create(urn: string, inputs: Properties, preview: boolean): Promise<Live>;
  /** Updates a resource. In a preview, updates nothing: the new inputs are the outputs. */
  update(request: DiffRequest, preview: boolean): Promise<Live>;
  read(urn: string, id: string, inputs: Properties, outputs: Properties): Promise<ReadAnswer>;
  delete(urn: string, id: string, inputs: Properties, outputs: Properties): Promise<void>;
}

/** A current resource and its desired inputs. */
export interface DiffRequest {
  readonly urn: string;
  readonly id: string;
  readonly oldInputs: Properties;
  readonly oldOutputs: Properties;
  readonly newInputs: Properties;
  readonly ignoreChanges: readonly string[];
}
