// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { inputsOf, isOfType, optionsOf, register } from "./runtime";
import type { PendingWork, Recipients, RecipientsArgs, RotationWindow, RotationWindowArgs, SealedKey } from "./types";

/** The inputs of `ApiKey`. */
export interface ApiKeyArgs {
  /**
   * Creates a key of this organization, which has access to all its projects. Requires a user's personal key as
   * `keyplane:apiKey`. A change creates a new key there and revokes the old one. Defaults to none: a key of the account
   * itself.
   */
  readonly organizationId?: pulumi.Input<string | undefined>;
  /**
   * Limits the key to this project of the organization. Requires `organizationId`. A change replaces the key. Defaults
   * to none: all its projects.
   */
  readonly projectId?: pulumi.Input<string | undefined>;
  /**
   * The exact name of the key, at most 64 characters. The names of live keys are unique in an account, so a replacement
   * revokes the old key before it creates the new one. Prefer `namePrefix`. A change replaces the key. Removing this
   * input keeps the key and its name, until something else replaces the key. Names are public: the output `name`,
   * messages and the state show them, even if this input is a secret. Defaults to a generated name,
   * `<namePrefix>-<mark>`: the mark is 12 characters that no other key has.
   */
  readonly name?: pulumi.Input<string | undefined>;
  /**
   * The beginning of the generated name: at most 46 of `a-z`, `0-9` and `-`; with `maxAge`, the name has the first 24
   * of them. A change replaces the key. Not with `name`. Names are public: the output `name`, messages and the state
   * show them, even if this input is a secret. Defaults to the resource's name, without the characters that a key's
   * name cannot have.
   */
  readonly namePrefix?: pulumi.Input<string | undefined>;
  /**
   * Any values. When one changes, the key is replaced. Setting triggers for the first time, or removing all, does not
   * replace it.
   */
  readonly rotationTriggers?: pulumi.Input<Record<string, pulumi.Input<unknown>> | undefined>;
  /**
   * The age at which `up` replaces the key, such as `90d`: a whole number and one of `s`, `m`, `h`, `d`, `w`. Measured
   * by this machine's clock. Less than `maxAge`. Defaults to two thirds of `maxAge`; never without it.
   */
  readonly rotateAfter?: pulumi.Input<string | undefined>;
  /**
   * The longest life of the key, such as `30d`, at least `10m`. Its name gets a deadline, and `keyplane reap` revokes
   * the key after it, even if nobody runs the stack any more. Run `up` often enough that the key is replaced before.
   * Not with `name`. A change replaces the key. Defaults to none: the key has no deadline.
   */
  readonly maxAge?: pulumi.Input<string | undefined>;
  /**
   * When `up` may replace the key by age: a key that reaches `rotateAfter` is due from the next time in this window on.
   * If no `up` runs in the window, the key is due in the next one. Triggers and a key that is gone do not wait for it.
   * Requires `rotateAfter` or `maxAge`. A change does not replace a key that is not due. Defaults to any time.
   */
  readonly rotationWindow?: pulumi.Input<RotationWindowArgs | undefined>;
  /**
   * Ids of projects. The key is created after their pending operations have finished. If they do not finish in time, no
   * key is created. Not with `name`.
   */
  readonly waitForProjects?: pulumi.Input<pulumi.Input<string>[] | undefined>;
  /**
   * Calls the API once with the new key before it counts as ready. The key is then used: if a crash right after leaves
   * it behind, the next run tells you its id instead of revoking it. Defaults to false.
   */
  readonly verify?: pulumi.Input<boolean | undefined>;
  /** The longest wait for operations, such as `30m`. Defaults to config `keyplane:operationTimeout`, else `30m`. */
  readonly operationTimeout?: pulumi.Input<string | undefined>;
  /**
   * Whether a deleted or replaced key is revoked. If false, a key that became ready is left active. Defaults to true.
   */
  readonly revokeOnDelete?: pulumi.Input<boolean | undefined>;
  /**
   * What to do if a live key already has `name`: fail, or revoke that key if it was never used. Allowed: "fail",
   * "revokeUnused". Defaults to "fail".
   */
  readonly onNameConflict?: pulumi.Input<string | undefined>;
  /**
   * Seals the secret for these recipients, right after the key is created. Then only `sealedKey` has it: neither the
   * state nor its history ever has a secret that the stack's passphrase opens. Other recipients need a new key, because
   * nobody else can read the old one: a change replaces the key. Defaults to none: the output `key` is the secret,
   * encrypted in the state.
   */
  readonly sealTo?: pulumi.Input<RecipientsArgs | undefined>;
}

const TOKEN = "keyplane:index:ApiKey";
const OUTPUTS =
  "createdAt digest expiresAt key keyId lostNames maxAge name namePrefix onNameConflict operationTimeout " +
  "organizationId pending pendingRevocations projectId revokeOnDelete rotateAfter rotateAt rotationTriggers " +
  "rotationWindow sealTo sealedKey verify waitForProjects";

/**
 * An API key: one key with one secret. A change that needs another key replaces it. The new key is created first, so
 * that everything in the same `up` has the new secret before the old key is revoked. With an exact `name`, the old one
 * goes first. Pulumi does not replace a resource with the option `protect`: use a `RotatingApiKey`, which it only
 * updates.
 */
export class ApiKey extends pulumi.CustomResource implements ApiKeyArgs {
  declare readonly organizationId: pulumi.Output<string | undefined>;
  declare readonly projectId: pulumi.Output<string | undefined>;
  /** The name under which the service lists the key. */
  declare readonly name: pulumi.Output<string>;
  declare readonly namePrefix: pulumi.Output<string | undefined>;
  declare readonly rotationTriggers: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly rotateAfter: pulumi.Output<string | undefined>;
  declare readonly maxAge: pulumi.Output<string | undefined>;
  declare readonly rotationWindow: pulumi.Output<RotationWindow | undefined>;
  declare readonly waitForProjects: pulumi.Output<string[] | undefined>;
  declare readonly verify: pulumi.Output<boolean | undefined>;
  declare readonly operationTimeout: pulumi.Output<string | undefined>;
  declare readonly revokeOnDelete: pulumi.Output<boolean | undefined>;
  declare readonly onNameConflict: pulumi.Output<string | undefined>;
  declare readonly sealTo: pulumi.Output<Recipients | undefined>;
  /** The key's id, as decimal text. */
  declare readonly keyId: pulumi.Output<string>;
  /** The secret. Encrypted in the state; the service never shows it again. It is absent for a sealed key. */
  declare readonly key: pulumi.Output<string>;
  /** The sealed secret, which is not secret itself; absent without `sealTo`. */
  declare readonly sealedKey: pulumi.Output<SealedKey | undefined>;
  /**
   * A digest of the secret, which is not secret itself. `keyplane identify` finds the key of a leaked secret by it. It
   * is absent for an imported key that does not look random.
   */
  declare readonly digest: pulumi.Output<string | undefined>;
  /** When the service created the key, as an ISO 8601 time. */
  declare readonly createdAt: pulumi.Output<string>;
  /**
   * When the key becomes due for rotation by age, with `rotationWindow`, as an ISO 8601 time; absent without
   * `rotateAfter` and `maxAge`.
   */
  declare readonly rotateAt: pulumi.Output<string | undefined>;
  /** The deadline in the key's name, as an ISO 8601 time; absent if it has none, as without `maxAge`. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** What the key still waits for; absent once it is ready. */
  declare readonly pending: pulumi.Output<PendingWork[] | undefined>;
  /**
   * Ids of keys that failed attempts to create a key left behind, and that could not be revoked yet. Nobody has their
   * secrets. The next `up` tries again.
   */
  declare readonly pendingRevocations: pulumi.Output<string[] | undefined>;
  /** Names of requests whose answer was lost and whose key never showed up. */
  declare readonly lostNames: pulumi.Output<string[] | undefined>;
  /** Declares the resource. Its name in Pulumi is unique in the program. */
  constructor(name: string, args: ApiKeyArgs = {}, options: pulumi.CustomResourceOptions = {}) {
    super(TOKEN, name, inputsOf(OUTPUTS, args, options), optionsOf(options, ["key"]));
  }

  /** Reads an existing resource by its id. The plugin needs the secret of a key, as for an import. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ApiKey {
    return new ApiKey(name, {}, { ...options, id });
  }

  /** Whether a value is a `ApiKey`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is ApiKey {
    return isOfType(value, TOKEN);
  }
}

register(TOKEN, (name, urn) => new ApiKey(name, {}, { urn }));
