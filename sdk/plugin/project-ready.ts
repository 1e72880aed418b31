// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { inputsOf, isOfType, optionsOf, register } from "./runtime";

/** The inputs of `ProjectReady`. */
export interface ProjectReadyArgs {
  /** The project's id. A change replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  /** Any values. When one changes, the resource waits again. */
  readonly triggers?: pulumi.Input<Record<string, pulumi.Input<unknown>> | undefined>;
  /** Ids of the operations to wait for. Defaults to all that are pending. */
  readonly operationIds?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /** The longest wait, such as `30m`. Defaults to config `keyplane:operationTimeout`, else `30m`. */
  readonly operationTimeout?: pulumi.Input<string | undefined>;
  /**
   * Actions of operations to ignore. Defaults to the platform's background work: `check_availability`,
   * `suspend_compute`.
   */
  readonly ignoreActions?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /** How far back to look for pending operations, such as `24h`. Defaults to "24h". */
  readonly horizon?: pulumi.Input<string | undefined>;
}

const TOKEN = "keyplane:index:ProjectReady";
const OUTPUTS = "horizon ignoreActions operationIds operationTimeout projectId triggers";

/**
 * A gate for `dependsOn`: it is ready when no operation of the project is pending. It fails if an operation that it
 * waits for fails, or if the wait times out. Operations that ended before the wait began do not count.
 */
export class ProjectReady extends pulumi.CustomResource implements ProjectReadyArgs {
  /** The project's id. */
  declare readonly projectId: pulumi.Output<string>;
  declare readonly triggers: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly operationIds: pulumi.Output<string[] | undefined>;
  declare readonly operationTimeout: pulumi.Output<string | undefined>;
  declare readonly ignoreActions: pulumi.Output<string[] | undefined>;
  declare readonly horizon: pulumi.Output<string | undefined>;
  /** Declares the resource. Its name in Pulumi is unique in the program. */
  constructor(name: string, args: ProjectReadyArgs, options: pulumi.CustomResourceOptions = {}) {
    super(TOKEN, name, inputsOf(OUTPUTS, args, options), optionsOf(options));
  }

  /** Reads an existing resource by its id. The plugin needs the secret of a key, as for an import. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ProjectReady {
    return new ProjectReady(name, {} as ProjectReadyArgs, { ...options, id });
  }

  /** Whether a value is a `ProjectReady`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is ProjectReady {
    return isOfType(value, TOKEN);
  }
}

register(TOKEN, (name, urn) => new ProjectReady(name, {} as ProjectReadyArgs, { urn }));
