/** The desired state of a resource. */
import type { CustomTimeouts, ResourceState } from "../state/checkpoint";
import type { Properties } from "../state/property";

/** The desired state of a registered resource. Omitted options are undefined, so that a parent's options can apply. */
export interface Goal {
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  readonly properties: Properties;
  readonly parent: string;
  readonly protect: boolean | undefined;
  readonly dependencies: readonly string[];
  /** The provider's reference. Empty for components and providers. */
  readonly provider: string;
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly deleteBeforeReplace: boolean | undefined;
  readonly ignoreChanges: readonly string[];
  readonly additionalSecretOutputs: readonly string[];
  readonly aliases: readonly Alias[];
  readonly customTimeouts: CustomTimeouts | undefined;
  readonly replaceOnChanges: readonly string[];
  readonly retainOnDelete: boolean | undefined;
  readonly sourcePosition: string;
  readonly stackTrace: NonNullable<ResourceState["stackTrace"]>;
}

/** A former identity of a resource: a whole URN, or the parts that differed. */
export type Alias =
  | { readonly urn: string }
  | {
      readonly name?: string;
      readonly type?: string;
      readonly stack?: string;
      readonly project?: string;
      readonly parent?: string;
      readonly noParent?: boolean;
    };

/** A program's pending registration of a resource. */
export interface Registration {
  readonly goal: Goal;
  /** Sends the registered resource to the program. */
  done(state: ResourceState): void;
}
