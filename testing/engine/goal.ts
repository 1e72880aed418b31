/** What a program wants of a resource. */
import type { CustomTimeouts, ResourceState } from "./checkpoint";
import type { Json, Properties } from "./property";

/** A registered resource, as wanted. Options left out are undefined, so that a parent's can take their place. */
export interface Goal {
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  readonly properties: Properties;
  readonly parent: string;
  readonly protect: boolean | undefined;
  readonly dependencies: readonly string[];
  /** The provider's reference; empty for components and providers. */
  readonly provider: string;
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly deleteBeforeReplace: boolean | undefined;
  readonly ignoreChanges: readonly string[];
  readonly additionalSecretOutputs: readonly string[];
  readonly aliases: readonly Alias[];
  readonly customTimeouts: CustomTimeouts | undefined;
  readonly replaceOnChanges: readonly string[];
  readonly replacementTrigger: Json | undefined;
  readonly retainOnDelete: boolean | undefined;
  readonly deletedWith: string;
  readonly replaceWith: readonly string[];
  readonly hideDiffs: readonly string[];
  readonly sourcePosition: string;
  readonly stackTrace: NonNullable<ResourceState["stackTrace"]>;
}

/** A former identity of a resource: a whole URN, or what of it was different. */
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

/** How a registration ended, for the program. */
export interface RegisterResult {
  readonly state: ResourceState;
  readonly result: "success" | "failed" | "skipped";
  /** True where the outputs are unknown because the resource was left out of the run. */
  readonly unknown?: boolean;
}

/** A program waiting for a resource. */
export interface Registration {
  readonly goal: Goal;
  /** Answers the program. */
  done(result: RegisterResult): void;
}
