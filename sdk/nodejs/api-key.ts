import * as pulumi from "@pulumi/pulumi";
import type { Holdings } from "./run/key-registry";
import { knownValue } from "./run/known-value";
import { ProgramRun } from "./run/program-run";
import { scopeIn } from "./run/scope";
import { keyInputs, pauseTraces, registeredInputs, typeToken, withDefaults } from "./shim";

/** Work that had not ended when a key was recorded as not ready. */
export interface PendingWork {
  /** An operation's action, such as `start_compute`; `verify` for the trial of a new key; `create` for its making. */
  readonly action: string;
  /** The project of an operation. */
  readonly projectId?: string;
  /** The operation's id. */
  readonly operationId?: string;
  /** Present once the work is known to have failed; the next `up` replaces the key. */
  readonly status?: "failed";
}

/** What to make of an `ApiKey`. */
export interface ApiKeyArgs {
  /**
   * The account that the key is made in, by its name in config `keyplane:accounts`. A change makes a new key there and
   * revokes the one here.
   * @default the account of `keyplane:apiKey`
   */
  readonly account?: string;
  /**
   * Id of an organization of the account, whose key it is to be: it reaches all the organization's projects. Needs a
   * key of a user under `keyplane:apiKey`. A change makes a new key there and revokes the one here.
   * @default none: a key of the account itself
   */
  readonly organizationId?: string;
  /**
   * Id of a project of the organization, to which the key is limited. Only with `organizationId`. A change replaces.
   * @default none: all its projects
   */
  readonly projectId?: pulumi.Input<string>;
  /**
   * Exactly this name, at most 64 characters. Live names are unique in an account, so a replacement revokes the old
   * key before it makes the new one: prefer `namePrefix`. A change replaces the key.
   * @default an auto-name, `<namePrefix>-<owner's tag>-<nonce>`
   */
  readonly name?: pulumi.Input<string>;
  /**
   * Beginning of the auto-name: at most 46 of `a-z`, `0-9` and `-`. A change replaces the key. Not with `name`.
   * @default the resource's name, as far as a key's name may hold it
   */
  readonly namePrefix?: pulumi.Input<string>;
  /**
   * Any values; a change of one replaces the key. Setting them from or to nothing does not.
   * @example { quarter: "2026Q4" }
   */
  readonly rotationTriggers?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
  /**
   * Age from which `up` replaces the key, such as `90d`: a whole number and one of `s`, `m`, `h`, `d`, `w`. Judged by
   * this machine's clock, which must agree with the service's to 5 minutes.
   * @default never
   */
  readonly rotateAfter?: pulumi.Input<string>;
  /**
   * Ids of projects whose pending operations must have finished before the key is made. A deadline that passes there
   * leaves nothing behind. Not with `name`.
   */
  readonly waitForProjects?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Calls the API once with the new key before reporting it ready. The key then counts as used, so that one left
   * behind by a crash right after is reported instead of revoked.
   * @default false; always so with the resource option `retainOnDelete`, and where `revokeOnDelete` is false
   */
  readonly verify?: pulumi.Input<boolean>;
  /** Longest wait for operations, such as `30m`. @default config `keyplane:operationTimeout`, else `30m` */
  readonly operationTimeout?: pulumi.Input<string>;
  /** Whether a deleted or replaced key is revoked; otherwise it stays live for ever, if it ever was ready. @default true */
  readonly revokeOnDelete?: pulumi.Input<boolean>;
  /**
   * What to do when `name` is taken: fail and name the key in the way, or revoke that key if it was never used.
   * @default "fail"
   */
  readonly onNameConflict?: pulumi.Input<"fail" | "revokeUnused">;
}

/**
 * An API key of the account: one key, one secret. It is changed only by replacement, new before old, so that
 * everything in the same `up` has the new secret before the old key is revoked.
 *
 * @example A key, rotated each quarter and at the latest after 90 days
 * ```ts
 * import { ApiKey } from "keyplane";
 *
 * const ci = new ApiKey("ci", { rotationTriggers: { quarter: "2026Q4" }, rotateAfter: "90d" });
 * export const ciKey = ci.key; // secret
 * ```
 *
 * @example A key that is only made once a project is quiet, and tried before it is handed on
 * ```ts
 * import { ApiKey } from "keyplane";
 *
 * const app = new ApiKey("app", { waitForProjects: ["my-project-1a2b3c"], verify: true });
 * ```
 */
export class ApiKey extends pulumi.CustomResource {
  /** The key's id, as decimal text. */
  declare readonly keyId: pulumi.Output<string>;
  /** The name under which the service lists the key. */
  declare readonly name: pulumi.Output<string>;
  /** The secret. Encrypted in the state; the service never shows it again. */
  declare readonly key: pulumi.Output<string>;
  /** When the service made the key, as an ISO 8601 time. */
  declare readonly createdAt: pulumi.Output<string>;
  /** When the key becomes due for rotation by age, as an ISO 8601 time; `null` without `rotateAfter`. */
  declare readonly rotateAt: pulumi.Output<string | null>;
  /** What the key still waits for; `null` once it is ready. */
  declare readonly pending: pulumi.Output<readonly PendingWork[] | null>;
  /** Ids of keys that nobody holds and that could not be revoked yet; the next `up` tries again. */
  declare readonly pendingRevocations: pulumi.Output<readonly string[] | undefined>;
  /** Names of requests whose answer was lost and whose key never showed up. */
  declare readonly lostNames: pulumi.Output<readonly string[] | undefined>;

  constructor(name: string, args: ApiKeyArgs = {}, options?: pulumi.CustomResourceOptions) {
    const registry = ProgramRun.current.registryFor("ApiKey", name, scopeIn("ApiKey", name, args));
    const inputs = registeredInputs("ApiKey", name, OUTPUTS, keyInputs(args, registry.owner, options), options);
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("ApiKey"), name, inputs, withDefaults(options, ["key"]));
    } finally {
      resumeTraces();
    }
    registry.enlist(this.#holdings());
  }

  async #holdings(): Promise<Holdings> {
    const [id, orphans = [], lostNames = []] = await Promise.all([
      knownValue(this.keyId),
      knownValue(this.pendingRevocations),
      knownValue(this.lostNames),
    ]);
    return { ids: [id, ...orphans], lostNames, pendingRevocations: [], compromised: [], untagged: {} };
  }

  /** Whether a value is an `ApiKey`, also one of another copy of this package. */
  static override isInstance(value: unknown): value is ApiKey {
    return (
      pulumi.CustomResource.isInstance(value) &&
      (value as { __pulumiType?: string }).__pulumiType === typeToken("ApiKey")
    );
  }
}

const OUTPUTS = ["keyId", "name", "key", "createdAt", "rotateAt", "pending", "pendingRevocations", "lostNames"];
