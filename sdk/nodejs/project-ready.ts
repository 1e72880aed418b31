import * as pulumi from "@pulumi/pulumi";
import { prepareInputs } from "./registration";
import { judgeConfig } from "./run/judge-config";
import { pauseTraces } from "./run/traces";
import { isOfType, typeToken } from "./shim";

/** The inputs of a `ProjectReady`. */
export interface ProjectReadyArgs {
  /**
   * The project's account: a name in config `keyplane:accounts`. A change replaces the resource.
   * @default the account of `keyplane:apiKey`
   */
  readonly account?: string;
  /** The project's id. A change replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  /** Any JSON values. When one changes, the resource waits again. */
  readonly triggers?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
  /** Ids of the operations to wait for. @default all that are pending */
  readonly operationIds?: pulumi.Input<pulumi.Input<string>[]>;
  /** The longest wait, such as `30m`. @default config `keyplane:operationTimeout`, else `30m` */
  readonly operationTimeout?: pulumi.Input<string>;
  /**
   * Actions of operations to ignore.
   * @default the platform's background work: `check_availability`, `suspend_compute`
   */
  readonly ignoreActions?: pulumi.Input<pulumi.Input<string>[]>;
  /** How far back to look for pending operations, such as `24h`. @default "24h" */
  readonly horizon?: pulumi.Input<string>;
}

/**
 * Waits until no operation of the project is pending. Resources that name it in `dependsOn` are created afterwards. It
 * fails if an operation that it waits for fails, or if the wait times out. Operations that ended before the wait began do not
 * count.
 *
 * @example A key that is created after its project is ready
 * ```ts
 * import { ApiKey, ProjectReady } from "keyplane";
 *
 * const ready = new ProjectReady("ready", { projectId: "my-project-1a2b3c" });
 * const app = new ApiKey("app", {}, { dependsOn: ready });
 * ```
 */
export class ProjectReady extends pulumi.CustomResource {
  /** The project's id. */
  declare readonly projectId: pulumi.Output<string>;

  constructor(name: string, args: ProjectReadyArgs, options?: pulumi.CustomResourceOptions) {
    judgeConfig();
    const inputs = prepareInputs("ProjectReady", name, { outputs: ["projectId"], args: { ...args }, options });
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("ProjectReady"), name, inputs, options);
    } finally {
      resumeTraces();
    }
  }

  /** Whether a value is a `ProjectReady`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is ProjectReady {
    return isOfType(value, "ProjectReady");
  }
}
