// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { inputsOf, isOfType, optionsOf, register, secretOf } from "./runtime";
import type {
  AdoptionArgs,
  PendingWork,
  Recipients,
  RecipientsArgs,
  RotationWindow,
  RotationWindowArgs,
  SealedKey,
} from "./types";

/** The inputs of `RotatingApiKey`. */
export interface RotatingApiKeyArgs {
  /**
   * Creates keys of this organization, which have access to all its projects. Requires a user's personal key as
   * `keyplane:apiKey`. A change creates a new resource there, and revokes the old keys without grace. Defaults to none:
   * keys of the account itself.
   */
  readonly organizationId?: pulumi.Input<string | undefined>;
  /**
   * Limits the keys to this project of the organization. Requires `organizationId`. A change creates a new resource,
   * and revokes the old keys without grace. Defaults to none: all its projects.
   */
  readonly projectId?: pulumi.Input<string | undefined>;
  /**
   * The beginning of the generated names, `<namePrefix>-<mark>` and a number from the second key on: at most 46 of
   * `a-z`, `0-9` and `-`; with `maxAge`, a name has the first 24 of them. The mark is 12 characters that no other
   * resource has. A change applies to the next key. Names are public: the output `name`, messages and the state show
   * them, even if this input is a secret. Defaults to the resource's name, without the characters that a key's name
   * cannot have.
   */
  readonly namePrefix?: pulumi.Input<string | undefined>;
  /**
   * Any values. When one changes, the key rotates. Setting triggers for the first time, or removing all, does not
   * rotate it. A change while the previous key is live is queued until that key is revoked.
   */
  readonly rotationTriggers?: pulumi.Input<Record<string, pulumi.Input<unknown>> | undefined>;
  /**
   * The age of the current key at which `up` rotates it, such as `30d`. Measured by this machine's clock. Defaults to
   * two thirds of `maxAge`; never without it.
   */
  readonly rotateAfter?: pulumi.Input<string | undefined>;
  /**
   * The longest life of the key, such as `30d`, at least `10m`. Its name gets a deadline, and `keyplane reap` revokes
   * the key after it, even if nobody runs the stack any more. Run `up` often enough that the key is rotated before.
   * Must be longer than `rotateAfter` and `gracePeriod` together. A change rotates the key as soon as there is no
   * previous key. Defaults to none: the key has no deadline.
   */
  readonly maxAge?: pulumi.Input<string | undefined>;
  /**
   * When `up` may rotate the key by age: a key that reaches `rotateAfter` is due from the next time in this window on.
   * If no `up` runs in the window, the key is due in the next one. Triggers, `revokeNow` and a key that is gone do not
   * wait for it. Requires `rotateAfter` or `maxAge`. A change does not rotate a key that is not due. Defaults to any
   * time.
   */
  readonly rotationWindow?: pulumi.Input<RotationWindowArgs | undefined>;
  /**
   * The minimum time for which the previous key works after its successor was delivered: at the end of the first `up`
   * of the whole stack that succeeds and ends after the rotation. Must be less than `rotateAfter`. Defaults to "24h",
   * or half of `rotateAfter` if that is less.
   */
  readonly gracePeriod?: pulumi.Input<string | undefined>;
  /**
   * The previous key is not revoked if it was used more recently than this. Choose longer than the pause between two
   * uses plus the delay with which the service shows a use. A warning tells if it is less than the default. Defaults to
   * "2h".
   */
  readonly quietPeriod?: pulumi.Input<string | undefined>;
  /**
   * The time after the delivery of its successor at which the previous key is revoked even if it is still used. Not
   * less than `gracePeriod`. Defaults to "7d", or `gracePeriod` if that is longer.
   */
  readonly maxOverlap?: pulumi.Input<string | undefined>;
  /**
   * Whether the previous key waits for its successor: it is not revoked before the service shows that somebody has used
   * the current key, which proves that at least one consumer has it. `maxOverlap` still ends the wait. For consumers
   * that use a key rarely, such as a monthly job, which `quietPeriod` cannot tell from none. Not with `verify`, which
   * uses each new key itself. Defaults to false.
   */
  readonly requireUse?: pulumi.Input<boolean | undefined>;
  /**
   * The id of a key of this resource that is compromised. It is revoked without grace, in the update of this resource:
   * a previous key at once, the current key as soon as its successor is ready. Consumers in the stack get the successor
   * later in the same run. To hand it over first, change a trigger, and name the previous key in a later run. May stay
   * in the program afterwards. The id of any other key is an error.
   */
  readonly revokeNow?: pulumi.Input<string | undefined>;
  /** Ids of projects. A key is created after their pending operations have finished. */
  readonly waitForProjects?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /**
   * Calls the API once with a new key before it becomes the current one. If the service refuses it, it is revoked, and
   * the old key stays. The new key is then used: if a crash right after leaves it behind, the next run tells you its id
   * instead of revoking it. Not with `requireUse`. Defaults to false.
   */
  readonly verify?: pulumi.Input<boolean | undefined>;
  /** The longest wait for operations, such as `30m`. Defaults to config `keyplane:operationTimeout`, else `30m`. */
  readonly operationTimeout?: pulumi.Input<string | undefined>;
  /**
   * Whether the keys are revoked when the resource is deleted. A rotation always revokes the old key. Defaults to true.
   */
  readonly revokeOnDelete?: pulumi.Input<boolean | undefined>;
  /**
   * A live key, created by hand, that the resource starts with instead of a new one. No key is created or revoked.
   * keyplane lists the keys with this secret, to check that the service accepts it and that id and secret belong
   * together. (For a key of an organization this check is weaker; the run warns if it is uncertain.) From then on the
   * key is like any other: it is rotated, and revoked after its grace or with the resource. Fails with `KP-ADOPT` if
   * the key cannot be adopted, and with `KP-OWN-CREDENTIAL` for the key that keyplane authenticates with. Remove this
   * input once the resource exists: that changes nothing, and a later replacement does not adopt the same key again. An
   * existing resource cannot adopt another key. Defaults to none: a new key is created.
   */
  readonly adopt?: pulumi.Input<AdoptionArgs | undefined>;
  /**
   * Allows the rotation of the key that keyplane authenticates with. You then have to set `keyplane:apiKey` to the new
   * key before the old one can be revoked; the run says how. Defaults to false.
   */
  readonly selfRotation?: pulumi.Input<boolean | undefined>;
  /**
   * Seals the secret for these recipients, right after the key is created. Then only `sealedKey` has it: neither the
   * state nor its history ever has a secret that the stack's passphrase opens. Other recipients need a new key, because
   * nobody else can read the old one: a change rotates the key, as a trigger does. Not with `adopt`. Defaults to none:
   * the output `key` is the secret, encrypted in the state.
   */
  readonly sealTo?: pulumi.Input<RecipientsArgs | undefined>;
}

const TOKEN = "keyplane:index:RotatingApiKey";
const OUTPUTS =
  "createdAt digest expiresAt gracePeriod key keyId lostNames maxAge maxOverlap name namePrefix nextAction " +
  "operationTimeout organizationId pending pendingRevocations previousDigest previousKey previousKeyId " +
  "previousSealedKey projectId quietPeriod requireUse retireAfter revokeNow revokeOnDelete rotateAfter rotateAt " +
  "rotationTriggers rotationWindow sealTo sealedKey selfRotation verify waitForProjects";

/**
 * An API key that is rotated without downtime for consumers outside the stack: a rotation creates a new current key and
 * leaves the previous one live for a grace period. The first `up` after that revokes it, unless it is still in use. At
 * most two keys are live: while there is a previous key, the next rotation waits. Only a key that `revokeNow` names, or
 * that is gone, is replaced at once. A rotation is an update, so the option `protect` does not hinder it. A forced
 * replacement (`--replace`) creates a new resource, and so gives no grace. Durations are a whole number and one of `s`,
 * `m`, `h`, `d`, `w`.
 */
export class RotatingApiKey extends pulumi.CustomResource implements RotatingApiKeyArgs {
  declare readonly organizationId: pulumi.Output<string | undefined>;
  declare readonly projectId: pulumi.Output<string | undefined>;
  declare readonly namePrefix: pulumi.Output<string | undefined>;
  declare readonly rotationTriggers: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly rotateAfter: pulumi.Output<string | undefined>;
  declare readonly maxAge: pulumi.Output<string | undefined>;
  declare readonly rotationWindow: pulumi.Output<RotationWindow | undefined>;
  declare readonly gracePeriod: pulumi.Output<string | undefined>;
  declare readonly quietPeriod: pulumi.Output<string | undefined>;
  declare readonly maxOverlap: pulumi.Output<string | undefined>;
  declare readonly requireUse: pulumi.Output<boolean | undefined>;
  declare readonly revokeNow: pulumi.Output<string | undefined>;
  declare readonly waitForProjects: pulumi.Output<string[] | undefined>;
  declare readonly verify: pulumi.Output<boolean | undefined>;
  declare readonly operationTimeout: pulumi.Output<string | undefined>;
  declare readonly revokeOnDelete: pulumi.Output<boolean | undefined>;
  declare readonly selfRotation: pulumi.Output<boolean | undefined>;
  declare readonly sealTo: pulumi.Output<Recipients | undefined>;
  /** The current key's id, as decimal text. */
  declare readonly keyId: pulumi.Output<string>;
  /** The name under which the service lists the current key. */
  declare readonly name: pulumi.Output<string>;
  /**
   * The current key's secret. Encrypted in the state; the service never shows it again. It is absent for a sealed key.
   */
  declare readonly key: pulumi.Output<string>;
  /** The current key's sealed secret, which is not secret itself; absent if the current key is not sealed. */
  declare readonly sealedKey: pulumi.Output<SealedKey | undefined>;
  /**
   * A digest of the current key's secret, which is not secret itself. `keyplane identify` finds the key of a leaked
   * secret by it. It is absent for an adopted key that does not look random.
   */
  declare readonly digest: pulumi.Output<string | undefined>;
  /** When the service created the current key, as an ISO 8601 time. */
  declare readonly createdAt: pulumi.Output<string>;
  /**
   * When the current key becomes due for rotation by age, with `rotationWindow`, as an ISO 8601 time; absent without
   * `rotateAfter` and `maxAge`.
   */
  declare readonly rotateAt: pulumi.Output<string | undefined>;
  /** The deadline in the current key's name, as an ISO 8601 time; absent if it has none, as without `maxAge`. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** The previous key's id; absent while there is no previous key. */
  declare readonly previousKeyId: pulumi.Output<string | undefined>;
  /** The previous key's secret; absent while there is no previous key, or if it is sealed. */
  declare readonly previousKey: pulumi.Output<string | undefined>;
  /** The previous key's sealed secret; absent while there is no previous key, or if it is not sealed. */
  declare readonly previousSealedKey: pulumi.Output<SealedKey | undefined>;
  /** The digest of the previous key's secret; absent without a previous key, or if it does not look random. */
  declare readonly previousDigest: pulumi.Output<string | undefined>;
  /** The earliest time to revoke an unused previous key, as an ISO 8601 time; absent without a previous key. */
  declare readonly retireAfter: pulumi.Output<string | undefined>;
  /** What the next runs will do, in words. */
  declare readonly nextAction: pulumi.Output<string>;
  /** What the current key still waits for; absent once it is ready. */
  declare readonly pending: pulumi.Output<PendingWork[] | undefined>;
  /**
   * Ids of keys that the next `up` revokes: those that failed attempts to create a key left behind, whose secrets
   * nobody has, and those that `revokeNow` named and that could not be revoked yet.
   */
  declare readonly pendingRevocations: pulumi.Output<string[] | undefined>;
  /** Names of requests whose answer was lost and whose key never showed up. */
  declare readonly lostNames: pulumi.Output<string[] | undefined>;
  /** Declares the resource. Its name in Pulumi is unique in the program. */
  constructor(name: string, args: RotatingApiKeyArgs = {}, options: pulumi.CustomResourceOptions = {}) {
    const inputs = { ...args, adopt: secretOf(args.adopt) };
    super(TOKEN, name, inputsOf(OUTPUTS, inputs, options), optionsOf(options, ["key", "previousKey"]));
  }

  /** Reads an existing resource by its id. The plugin needs the secret of a key, as for an import. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): RotatingApiKey {
    return new RotatingApiKey(name, {}, { ...options, id });
  }

  /** Whether a value is a `RotatingApiKey`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is RotatingApiKey {
    return isOfType(value, TOKEN);
  }
}

register(TOKEN, (name, urn) => new RotatingApiKey(name, {}, { urn }));
