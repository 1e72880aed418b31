import * as pulumi from "@pulumi/pulumi";
import { ROTATION_OUTPUTS } from "../../provider/outputs";
import type { PendingWork } from "../../provider/pending-work";
import { DECLARED_OUTPUTS, keyInputs, keyOptions } from "./key-inputs";
import { prepareInputs } from "./registration";
import type { RotationWindowArgs } from "./rotation-window";
import { judgeConfig } from "./run/judge-config";
import { pauseTraces } from "./run/traces";
import type { SealedKey, SealTo } from "./seal-to";
import { isOfType, typeToken } from "./shim";

/** A live key that was created by hand. */
export interface AdoptArgs {
  /** The key's id, as decimal text: `npx keyplane keys` and the service's console show it. */
  readonly id: pulumi.Input<string>;
  /** The key's secret. Always registered as a secret, also if you pass plain text. */
  readonly key: pulumi.Input<string>;
}

/** The inputs of a `RotatingApiKey`. Durations are a whole number and one of `s`, `m`, `h`, `d`, `w`. */
export interface RotatingApiKeyArgs<Seal extends pulumi.Input<SealTo> | undefined = undefined> {
  /**
   * The account to create the keys in: a name in config `keyplane:accounts`. A change creates a new resource there, and
   * revokes the old keys without grace.
   * @default the account of `keyplane:apiKey`
   */
  readonly account?: string;
  /**
   * Creates keys of this organization, which have access to all its projects. Requires a user's personal key as
   * `keyplane:apiKey`. A change creates a new resource there, and revokes the old keys without grace.
   * @default none: keys of the account itself
   */
  readonly organizationId?: string;
  /**
   * Limits the keys to this project of the organization. Requires `organizationId`. A change creates a new resource,
   * and revokes the old keys without grace.
   * @default none: all its projects
   */
  readonly projectId?: pulumi.Input<string>;
  /**
   * The beginning of the generated names, `<namePrefix>-<suffix>` and a number from the second key on: at most 46 of `a-z`,
   * `0-9` and `-`; with `maxAge`, a name has the first 24 of them. The suffix is 12 characters that no other resource has.
   * A change applies to the next key. If it is a secret, so are the names in the state, but messages show
   * names.
   * @default the resource's name, without the characters that a key's name cannot have
   */
  readonly namePrefix?: pulumi.Input<string>;
  /**
   * Any JSON values. When one changes, or another one is added, the key rotates: also for the first triggers, but not when
   * all are removed. A change while the previous key is live is queued until that key is revoked.
   * @example { quarter: "2026Q4" }
   */
  readonly rotationTriggers?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
  /**
   * The age of the current key at which `up` rotates it, such as `30d`. Measured by this machine's clock.
   * @default two thirds of `maxAge`; never without it
   */
  readonly rotateAfter?: pulumi.Input<string>;
  /**
   * The longest life of the key, such as `30d`, at least `10m`. Its name gets a deadline, and `keyplane reap` revokes the
   * key after it, even if nobody runs the stack any more. Run `up` often enough that the key is rotated before. Must
   * be longer than `rotateAfter` and `gracePeriod` together. A change rotates the key as soon as there is no previous key.
   * @default none: the key has no deadline
   */
  readonly maxAge?: pulumi.Input<string>;
  /**
   * When `up` may rotate the key by age: a key that reaches `rotateAfter` is due from the next time in this window on.
   * If no `up` runs in the window, the key is due in the next one. Triggers, `revokeNow` and a key that is gone do not
   * wait for it. Requires `rotateAfter` or `maxAge`. A change does not rotate a key that is not due.
   * @default any time
   */
  readonly rotationWindow?: pulumi.Input<RotationWindowArgs>;
  /**
   * The minimum time for which the previous key works after its successor was delivered: when an `up` of the whole stack
   * has succeeded, usually the one that rotated. Must be less than `rotateAfter`.
   * @default "24h"; if that is less, half of `rotateAfter`, or half of the time from the rotation to the end of `maxAge`
   */
  readonly gracePeriod?: pulumi.Input<string>;
  /**
   * The previous key is not revoked if it was used more recently than this. Choose longer than the pause between two
   * uses plus the delay with which the service shows a use. A warning tells if it is less than the default.
   * @default "2h"
   */
  readonly quietPeriod?: pulumi.Input<string>;
  /**
   * The time after the delivery of its successor at which the previous key is revoked even if it is still used. Not
   * less than `gracePeriod`.
   * @default "7d", or `gracePeriod` if that is longer
   */
  readonly maxOverlap?: pulumi.Input<string>;
  /**
   * Whether the previous key waits for its successor: it is not revoked before the service shows that somebody has used
   * the current key, which proves that at least one consumer has it. `maxOverlap` still ends the wait. For consumers that
   * use a key rarely, such as a monthly job, which `quietPeriod` cannot tell from none. Not with `verify`, which uses
   * each new key itself.
   * @default false
   */
  readonly requireUse?: pulumi.Input<boolean>;
  /**
   * The id of a key of this resource that is compromised. It is revoked without grace, in the update of this resource: a
   * previous key at once, the current key as soon as its successor is ready. Consumers in the stack get the successor
   * later in the same run. To hand it over first, change a trigger, and name the previous key in a later run. May stay in
   * the program afterwards. The id of any other key is an error: if the program has several stacks, take the id from the
   * configuration of the one.
   */
  readonly revokeNow?: pulumi.Input<string>;
  /** Ids of projects. A key is created after their pending operations have finished. */
  readonly waitForProjects?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Calls the API once with a new key before it becomes the current one. If the service refuses it, it is revoked, and
   * the old key stays. The new key is then used: if a crash right after orphans it, the next run reports its id
   * instead of revoking it. Not with `requireUse`.
   * @default false
   */
  readonly verify?: pulumi.Input<boolean>;
  /** The longest wait for operations, such as `30m`. @default config `keyplane:operationTimeout`, else `30m` */
  readonly operationTimeout?: pulumi.Input<string>;
  /** Whether the keys are revoked when the resource is deleted. A rotation always revokes the old key. @default true */
  readonly revokeOnDelete?: pulumi.Input<boolean>;
  /**
   * A live key, created by hand, that the resource starts with instead of a new one. No key is created or revoked.
   * keyplane lists the keys with this secret, to check that the service accepts it and that id and secret belong
   * together. (For a key of an organization this check is weaker; the run warns if it is uncertain.) From then on the
   * key is like any other: it is rotated, and revoked after its grace or with the resource. Fails with `KP-ADOPT` if
   * the key cannot be adopted, and with `KP-OWN-CREDENTIAL` for the key that keyplane authenticates with. Remove this
   * input once the resource exists: that changes nothing, and a later replacement does not adopt the same key again. An
   * existing resource cannot adopt another key.
   * @default none: a new key is created
   */
  readonly adopt?: pulumi.Input<AdoptArgs>;
  /**
   * Allows the rotation of the key that keyplane authenticates with. You then have to set `keyplane:apiKey` to the new
   * key before the old one can be revoked; the run says how.
   * @default false
   */
  readonly selfRotation?: pulumi.Input<boolean>;
  /**
   * Seals the secret for these recipients, right after the key is created. Then only `sealedKey` has it: neither the
   * state nor its history ever has a secret that the stack's passphrase opens. Other recipients need a
   * new key, because nobody else can read the old one: a change rotates the key, as a trigger does. Not with `adopt`.
   * @default none: the output `key` is the secret, encrypted in the state
   */
  readonly sealTo?: Seal;
}

/**
 * An API key that is rotated without downtime for consumers outside the stack: a rotation creates a new current key and
 * leaves the previous one live for a grace period. The first `up` after that revokes it, unless it is still in use. At
 * most two keys are live: while there is a previous key, the next rotation waits. Only a key that `revokeNow` names, or
 * that is gone, is replaced at once. A rotation is an update, so the option `protect` does not hinder it. A forced
 * replacement (`--replace`) creates a new resource, and so gives no grace.
 *
 * @example Rotated every 30 days; consumers have a day to switch to the new key
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { RotatingApiKey } from "keyplane";
 *
 * const app = new RotatingApiKey("app", { rotateAfter: "30d", gracePeriod: "24h" });
 * export const appKeys = pulumi.secret({ current: app.key, previous: app.previousKey });
 * ```
 */
export class RotatingApiKey<Seal extends pulumi.Input<SealTo> | undefined = undefined> extends pulumi.CustomResource {
  /** The current key's id, as decimal text. */
  declare readonly keyId: pulumi.Output<string>;
  /** The name under which the service lists the current key. */
  declare readonly name: pulumi.Output<string>;
  /**
   * The current key's secret. Encrypted in the state; the service never shows it again. It is `null` for a sealed key.
   */
  declare readonly key: pulumi.Output<Seal extends undefined ? string : string | null>;
  /** The current key's sealed secret, which is not secret itself; `null` if the current key is not sealed. */
  declare readonly sealedKey: pulumi.Output<SealedKey | null>;
  /**
   * A digest of the current key's secret, which is not secret itself. `keyplane identify` finds the key of a leaked
   * secret by it. It is `null` for an adopted key that does not look random.
   */
  declare readonly digest: pulumi.Output<string | null>;
  /** When the service created the current key, as an ISO 8601 time. */
  declare readonly createdAt: pulumi.Output<string>;
  /**
   * When the current key becomes due for rotation by age, with `rotationWindow`, as an ISO 8601 time; `null` without
   * `rotateAfter` and `maxAge`.
   */
  declare readonly rotateAt: pulumi.Output<string | null>;
  /** The deadline in the current key's name, as an ISO 8601 time; absent if it has none, as without `maxAge`. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** The previous key's id; `null` while there is no previous key. */
  declare readonly previousKeyId: pulumi.Output<string | null>;
  /** The previous key's secret; `null` while there is no previous key, or if it is sealed. */
  declare readonly previousKey: pulumi.Output<string | null>;
  /** The previous key's sealed secret; `null` while there is no previous key, or if it is not sealed. */
  declare readonly previousSealedKey: pulumi.Output<SealedKey | null>;
  /** The digest of the previous key's secret; `null` without a previous key, or if it does not look random. */
  declare readonly previousDigest: pulumi.Output<string | null>;
  /** When a run asks next whether the previous key can be revoked, as an ISO 8601 time; `null` without a previous key. */
  declare readonly retireAfter: pulumi.Output<string | null>;
  /** What the next runs will do, in words. */
  declare readonly nextAction: pulumi.Output<string>;
  /** What the current key still waits for; `null` once it is ready. */
  declare readonly pending: pulumi.Output<readonly PendingWork[] | null>;
  /** Ids of keys that the next `up` revokes: nobody has them, or `revokeNow` named them. */
  declare readonly pendingRevocations: pulumi.Output<readonly string[] | undefined>;
  /** Names of keys whose creation got no answer. The next `up` looks for them. */
  declare readonly lostNames: pulumi.Output<readonly string[] | undefined>;

  constructor(name: string, args: RotatingApiKeyArgs<Seal> = {}, options?: pulumi.CustomResourceOptions) {
    judgeConfig();
    const own = keyInputs({ ...args, ...(args.adopt !== undefined && { adopt: pulumi.secret(args.adopt) }) });
    const inputs = prepareInputs("RotatingApiKey", name, { outputs: OUTPUTS, args: own, options });
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("RotatingApiKey"), name, inputs, keyOptions(options, "key", "previousKey"));
    } finally {
      resumeTraces();
    }
  }

  /** Whether a value is a `RotatingApiKey`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is RotatingApiKey {
    return isOfType(value, "RotatingApiKey");
  }
}

const OUTPUTS = [...DECLARED_OUTPUTS, ...ROTATION_OUTPUTS];
