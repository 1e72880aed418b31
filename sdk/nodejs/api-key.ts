import * as pulumi from "@pulumi/pulumi";
import type { PendingWork } from "../../provider/pending-work";
import { DECLARED_OUTPUTS, keyInputs, keyOptions } from "./key-inputs";
import { prepareInputs } from "./registration";
import type { RotationWindowArgs } from "./rotation-window";
import { judgeConfig } from "./run/judge-config";
import { isProtected } from "./run/pulumi-internals";
import { pauseTraces } from "./run/traces";
import type { SealedKey, SealTo } from "./seal-to";
import { isOfType, typeToken } from "./shim";

/** The inputs of an `ApiKey`. */
export interface ApiKeyArgs<Seal extends pulumi.Input<SealTo> | undefined = undefined> {
  /**
   * The account to create the key in: a name in config `keyplane:accounts`. A change creates a new key there and
   * revokes the old one.
   * @default the account of `keyplane:apiKey`
   */
  readonly account?: string;
  /**
   * Creates a key of this organization, which has access to all its projects. Requires a user's personal key as
   * `keyplane:apiKey`. A change creates a new key there and revokes the old one.
   * @default none: a key of the account itself
   */
  readonly organizationId?: string;
  /**
   * Limits the key to this project of the organization. Requires `organizationId`. A change replaces the key.
   * @default none: all its projects
   */
  readonly projectId?: pulumi.Input<string>;
  /**
   * The exact name of the key, at most 64 characters. The names of live keys are unique in an account, so a replacement
   * revokes the old key before it creates the new one. Prefer `namePrefix`. A change replaces the key. Removing this
   * input keeps the key and its name, until something else replaces the key. If it is a secret, so is the name in the state, but
   * messages show names.
   * @default a generated name, `<namePrefix>-<suffix>`: the suffix is 12 characters that no other key has
   */
  readonly name?: pulumi.Input<string>;
  /**
   * The beginning of the generated name: at most 46 of `a-z`, `0-9` and `-`; with `maxAge`, the name has the first 24 of
   * them. A change replaces the key. Not with `name`. If it is a secret, so is the name in the state, but messages show
   * names.
   * @default the resource's name, without the characters that a key's name cannot have
   */
  readonly namePrefix?: pulumi.Input<string>;
  /**
   * Any JSON values. When one changes, or another one is added, the key is replaced: also for the first triggers, but not
   * when all are removed.
   * @example { quarter: "2026Q4" }
   */
  readonly rotationTriggers?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
  /**
   * The age at which `up` replaces the key, such as `90d`: a whole number and one of `s`, `m`, `h`, `d`, `w`. Measured
   * by this machine's clock. Less than `maxAge`.
   * @default two thirds of `maxAge`; never without it
   */
  readonly rotateAfter?: pulumi.Input<string>;
  /**
   * The longest life of the key, such as `30d`, at least `10m`. Its name gets a deadline, and `keyplane reap` revokes the
   * key after it, even if nobody runs the stack any more. Run `up` often enough that the key is replaced before. Not
   * with `name`. A change replaces the key.
   * @default none: the key has no deadline
   */
  readonly maxAge?: pulumi.Input<string>;
  /**
   * When `up` may replace the key by age: a key that reaches `rotateAfter` is due from the next time in this window on.
   * If no `up` runs in the window, the key is due in the next one. Triggers and a key that is gone do not wait for it.
   * Requires `rotateAfter` or `maxAge`. A change does not replace a key that is not due.
   * @default any time
   */
  readonly rotationWindow?: pulumi.Input<RotationWindowArgs>;
  /**
   * Ids of projects. The key is created after their pending operations have finished. If they do not finish in time, no
   * key is created. Not with `name`.
   */
  readonly waitForProjects?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Calls the API once with the new key before it counts as ready. The key is then used: if a crash right after
   * orphans it, the next run reports its id instead of revoking it.
   * @default false
   */
  readonly verify?: pulumi.Input<boolean>;
  /** The longest wait for operations, such as `30m`. @default config `keyplane:operationTimeout`, else `30m` */
  readonly operationTimeout?: pulumi.Input<string>;
  /** Whether a deleted or replaced key is revoked. If false, a key that became ready is left active. @default true */
  readonly revokeOnDelete?: pulumi.Input<boolean>;
  /**
   * What to do if a live key already has `name`: fail, or revoke that key if it was never used.
   * @default "fail"
   */
  readonly onNameConflict?: pulumi.Input<"fail" | "revokeUnused">;
  /**
   * Seals the secret for these recipients, right after the key is created. Then only `sealedKey` has it: neither the
   * state nor its history ever has a secret that the stack's passphrase opens. Other recipients need a
   * new key, because nobody else can read the old one: a change replaces the key.
   * @default none: the output `key` is the secret, encrypted in the state
   */
  readonly sealTo?: Seal;
}

/**
 * An API key: one key with one secret. A change that needs another key replaces it. The new key is created first, so that
 * everything in the same `up` has the new secret before the old key is revoked. With an exact `name`, the old one goes first.
 * Pulumi does not replace a resource with the option `protect`: use a `RotatingApiKey`, which it only updates.
 *
 * @example A key, rotated each quarter and at the latest after 90 days
 * ```ts
 * import { ApiKey } from "keyplane";
 *
 * const ci = new ApiKey("ci", { rotationTriggers: { quarter: "2026Q4" }, rotateAfter: "90d" });
 * export const ciKey = ci.key; // secret
 * ```
 *
 * @example A key that is created after a project's operations have finished, and tested before it is used
 * ```ts
 * import { ApiKey } from "keyplane";
 *
 * const app = new ApiKey("app", { waitForProjects: ["my-project-1a2b3c"], verify: true });
 * ```
 */
export class ApiKey<Seal extends pulumi.Input<SealTo> | undefined = undefined> extends pulumi.CustomResource {
  /** The key's id, as decimal text. */
  declare readonly keyId: pulumi.Output<string>;
  /** The name under which the service lists the key. */
  declare readonly name: pulumi.Output<string>;
  /** The secret. Encrypted in the state; the service never shows it again. It is `null` for a sealed key. */
  declare readonly key: pulumi.Output<Seal extends undefined ? string : null>;
  /** The sealed secret, which is not secret itself; `null` without `sealTo`. */
  declare readonly sealedKey: pulumi.Output<Seal extends object ? SealedKey : null>;
  /**
   * A digest of the secret, which is not secret itself. `keyplane identify` finds the key of a leaked secret by it. It is
   * `null` for an imported key that does not look random.
   */
  declare readonly digest: pulumi.Output<string | null>;
  /** When the service created the key, as an ISO 8601 time. */
  declare readonly createdAt: pulumi.Output<string>;
  /**
   * When the key becomes due for rotation by age, with `rotationWindow`, as an ISO 8601 time; `null` without
   * `rotateAfter` and `maxAge`.
   */
  declare readonly rotateAt: pulumi.Output<string | null>;
  /** The deadline in the key's name, as an ISO 8601 time; absent if it has none, as without `maxAge`. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** What the key still waits for; `null` once it is ready. */
  declare readonly pending: pulumi.Output<readonly PendingWork[] | null>;
  /** Ids of keys that nobody has and that could not be revoked yet. The next `up` revokes them. */
  declare readonly pendingRevocations: pulumi.Output<readonly string[] | undefined>;
  /** Names of keys whose creation got no answer. The next `up` looks for them. */
  declare readonly lostNames: pulumi.Output<readonly string[] | undefined>;

  constructor(name: string, args: ApiKeyArgs<Seal> = {}, options?: pulumi.CustomResourceOptions) {
    judgeConfig();
    const own = { ...keyInputs(args), ...(isProtected(options) && { __isProtected: true }) };
    const inputs = prepareInputs("ApiKey", name, { outputs: DECLARED_OUTPUTS, args: own, options });
    // Pulumi's traces would take most of the time of a registration.
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("ApiKey"), name, inputs, keyOptions(options, "key"));
    } finally {
      resumeTraces();
    }
  }

  /** Whether a value is an `ApiKey`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is ApiKey {
    return isOfType(value, "ApiKey");
  }
}
