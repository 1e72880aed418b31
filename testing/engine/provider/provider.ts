/** The engine's interface to resource providers. */
import type { Properties } from "../state/property";

/** An invalid input that `check` found. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** The inputs that a provider accepts, with its defaults. */
export interface CheckAnswer {
  readonly inputs: Properties;
  readonly failures: readonly CheckFailure[];
}

/** The provider's comparison of a resource with its desired state. */
export interface DiffAnswer {
  /** Undefined if the provider leaves the decision to the engine. */
  readonly changes?: boolean;
  /** The inputs that cause a replacement. */
  readonly replaceKeys: readonly string[];
  /** The inputs that changed. @default none are named */
  readonly changedKeys?: readonly string[];
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
 * had no known effect. A `timeout` is the resource's option `customTimeouts`, in seconds, which the provider may obey.
 */
export interface Provider {
  /** @param keepUnknowns whether unknown inputs are passed on, as in a preview. Otherwise they are omitted. */
  check(urn: string, olds: Properties, news: Properties, keepUnknowns: boolean): Promise<CheckAnswer>;
  /** @param keepUnknowns as in `check`. */
  diff(request: DiffRequest, keepUnknowns: boolean): Promise<DiffAnswer>;
  /** Creates a resource. In a preview, creates nothing, and the outputs are what is known of them. */
  create(urn: string, inputs: Properties, preview: boolean, timeout?: number): Promise<Live>;
  /** Updates a resource. In a preview, updates nothing, and the outputs are what is known of them. */
  update(request: DiffRequest, preview: boolean, timeout?: number): Promise<Live>;
  /** Reads a resource. */
  read(urn: string, id: string, inputs: Properties, outputs: Properties, timeout?: number): Promise<ReadAnswer>;
  delete(urn: string, id: string, inputs: Properties, outputs: Properties, timeout?: number): Promise<void>;
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

/** A provider that has no configuration yet. */
export interface LoadedProvider {
  /** Checks the configuration. The answer may have more inputs than the program set. */
  checkConfig(urn: string, olds: Properties, news: Properties): Promise<CheckAnswer>;
  /** Configures the provider, which is done once. If that fails, each call of the provider fails. */
  configure(urn: string, id: string, inputs: Properties): Provider;
}
