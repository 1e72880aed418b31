import * as pulumi from "@pulumi/pulumi";
import type { PendingWork } from "./api-key";
import type { Holdings } from "./run/key-registry";
import { knownValue } from "./run/known-value";
import { ProgramRun } from "./run/program-run";
import { scopeIn } from "./run/scope";
import { keyInputs, pauseTraces, registeredInputs, typeToken, withDefaults } from "./shim";

/** A live key that was made by hand. */
export interface AdoptArgs {
  /** The key's id, as decimal text: `npx keyplane keys` and the service's console tell it. */
  readonly id: pulumi.Input<string>;
  /** The key's secret. Always registered as a secret, however it is given. */
  readonly key: pulumi.Input<string>;
}

/** What to make of a `RotatingApiKey`. Durations are a whole number and one of `s`, `m`, `h`, `d`, `w`. */
export interface RotatingApiKeyArgs {
  /**
   * The account that the keys are made in, by its name in config `keyplane:accounts`. A change makes a new resource there,
   * and revokes the keys here without grace.
   * @default the account of `keyplane:apiKey`
   */
  readonly account?: string;
  /**
   * Id of an organization of the account, whose keys they are to be: they reach all the organization's projects.
   * Needs a key of a user under `keyplane:apiKey`. A change makes a new resource there, and revokes the keys here
   * without grace.
   * @default none: keys of the account itself
   */
  readonly organizationId?: string;
  /**
   * Id of a project of the organization, to which the keys are limited. Only with `organizationId`. A change makes a
   * new resource, and revokes the keys of this one without grace.
   * @default none: all its projects
   */
  readonly projectId?: pulumi.Input<string>;
  /**
   * Beginning of the keys' auto-names: at most 46 of `a-z`, `0-9` and `-`. A change names the next key.
   * @default the resource's name, as far as a key's name may hold it
   */
  readonly namePrefix?: pulumi.Input<string>;
  /**
   * Any values; a change of one rotates. Setting them from or to nothing does not. A change while the previous key is
   * still live is queued until it is revoked.
   * @example { quarter: "2026Q4" }
   */
  readonly rotationTriggers?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
  /**
   * Age of the current key from which `up` rotates, such as `30d`. Judged by this machine's clock, which must agree
   * with the service's to 5 minutes.
   * @default never
   */
  readonly rotateAfter?: pulumi.Input<string>;
  /**
   * How long the previous key lives on at least. Must be less than `rotateAfter`.
   * @default "24h", or half of `rotateAfter` where that is less
   */
  readonly gracePeriod?: pulumi.Input<string>;
  /**
   * The previous key is not revoked while its last use is more recent than this. A use of the last moments before the
   * grace ends is what it is for: choose more than the pauses between two uses.
   * @default "1h"
   */
  readonly quietPeriod?: pulumi.Input<string>;
  /**
   * Time after the rotation from which the previous key is revoked even while it is used. Not less than `gracePeriod`.
   * @default "7d", or `gracePeriod` where that is longer
   */
  readonly maxOverlap?: pulumi.Input<string>;
  /**
   * Id of a key of this resource that must not be used any more, because it got into wrong hands. It is revoked without
   * grace at the end of the run, when all resources of the stack have its successor; the current key is replaced for
   * that. May stay in the program afterwards.
   */
  readonly revokeNow?: pulumi.Input<string>;
  /** Ids of projects whose pending operations must have finished before a key is made. */
  readonly waitForProjects?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Calls the API once with a new key before it becomes the current one; one that is refused is revoked, and the old
   * one stays. A key then counts as used, so that one left behind by a crash right after is reported, not revoked.
   * @default false; always so with the resource option `retainOnDelete`, and where `revokeOnDelete` is false
   */
  readonly verify?: pulumi.Input<boolean>;
  /** Longest wait for operations, such as `30m`. @default config `keyplane:operationTimeout`, else `30m` */
  readonly operationTimeout?: pulumi.Input<string>;
  /** Whether the keys are revoked when the resource is deleted. Rotation always revokes. @default true */
  readonly revokeOnDelete?: pulumi.Input<boolean>;
  /**
   * A live key, made by hand, that the resource begins with instead of a new one. Nothing is made or revoked: a list
   * made with the secret shows whether the service accepts it, and, because there the key's own use shows at once,
   * whether the id and the secret are of one key. (In an organization this can only be made likely; the run warns where
   * it is not.) From then on the key is one like any other: it is rotated, and revoked after its grace or with the
   * resource. Fails with the code `KP-ADOPT` where the key cannot be adopted, and with `KP-OWN-CREDENTIAL` for the key
   * that keyplane authenticates with. Remove it once the resource exists: that changes nothing, and a later replacement
   * of the resource does not adopt the same key again. A resource that exists cannot adopt another key.
   * @default none: a new key is made
   */
  readonly adopt?: pulumi.Input<AdoptArgs>;
  /**
   * Allows the rotation of the very key that keyplane authenticates with. You then have to set `keyplane:apiKey` to the
   * new key before the old one can be revoked; the run says how.
   * @default false
   */
  readonly selfRotation?: pulumi.Input<boolean>;
}

/**
 * An API key that is rotated without downtime for consumers outside the stack: a rotation makes a new current key and
 * leaves the previous one live for a grace period. The first `up` after that revokes it, unless it is still in use, as
 * its last step. At most two keys are live; three while a run both rotates and revokes. A forced replacement
 * (`--replace`) makes a new resource, and so gives no grace.
 *
 * @example Rotated every 30 days; whoever reads the key has a day to take up the new one
 * ```ts
 * import { RotatingApiKey } from "keyplane";
 *
 * const app = new RotatingApiKey("app", { rotateAfter: "30d", gracePeriod: "24h" });
 * export const appKeys = { current: app.key, previous: app.previousKey }; // secret
 * ```
 */
export class RotatingApiKey extends pulumi.CustomResource {
  /** The current key's id, as decimal text. */
  declare readonly keyId: pulumi.Output<string>;
  /** The name under which the service lists the current key. */
  declare readonly name: pulumi.Output<string>;
  /** The current key's secret. Encrypted in the state; the service never shows it again. */
  declare readonly key: pulumi.Output<string>;
  /** When the service made the current key, as an ISO 8601 time. */
  declare readonly createdAt: pulumi.Output<string>;
  /** When the current key becomes due for rotation by age, as an ISO 8601 time; `null` without `rotateAfter`. */
  declare readonly rotateAt: pulumi.Output<string | null>;
  /** The previous key's id; `null` while there is no previous key. */
  declare readonly previousKeyId: pulumi.Output<string | null>;
  /** The previous key's secret; `null` while there is no previous key. */
  declare readonly previousKey: pulumi.Output<string | null>;
  /** From when on the previous key is revoked, if nobody uses it, as an ISO 8601 time; `null` without a previous key. */
  declare readonly retireAfter: pulumi.Output<string | null>;
  /** What the coming runs will do, for people. */
  declare readonly nextAction: pulumi.Output<string>;
  /** What the current key still waits for; `null` once it is ready. */
  declare readonly pending: pulumi.Output<readonly PendingWork[] | null>;
  /** Ids of keys that are to be revoked as soon as possible; the next `up` tries. */
  declare readonly pendingRevocations: pulumi.Output<readonly string[] | undefined>;
  /** Names of requests whose answer was lost and whose key never showed up. */
  declare readonly lostNames: pulumi.Output<readonly string[] | undefined>;

  constructor(name: string, args: RotatingApiKeyArgs = {}, options?: pulumi.CustomResourceOptions) {
    const registry = ProgramRun.current.registryFor("RotatingApiKey", name, scopeIn("RotatingApiKey", name, args));
    const given = { ...args, ...(args.adopt !== undefined && { adopt: pulumi.secret(args.adopt) }) };
    const own = keyInputs(given, registry.owner, options);
    const inputs = registeredInputs("RotatingApiKey", name, OUTPUTS, own, options);
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("RotatingApiKey"), name, inputs, withDefaults(options, ["key", "previousKey"]));
    } finally {
      resumeTraces();
    }
    registry.enlist(this.#holdings());
  }

  async #holdings(): Promise<Holdings> {
    const { retired, adopted, revokeNow } = this as unknown as ForTheLedger;
    const [current, previous, doomed = [], old = [], lostNames = [], byHand, named] = await Promise.all([
      knownValue(this.keyId),
      knownValue(this.previousKeyId),
      knownValue(this.pendingRevocations),
      knownValue(retired),
      knownValue(this.lostNames),
      knownValue(adopted),
      knownValue(revokeNow),
    ]);
    const pendingRevocations = [...doomed, ...old];
    const ids = [current, ...(previous ? [previous] : []), ...pendingRevocations];
    const compromised = pendingRevocations.filter((id) => id === named);
    const untagged = byHand?.name ? { [byHand.id]: byHand.name } : {};
    return { ids, lostNames, pendingRevocations, compromised, untagged };
  }

  /** Whether a value is a `RotatingApiKey`, also one of another copy of this package. */
  static override isInstance(value: unknown): value is RotatingApiKey {
    return (
      pulumi.CustomResource.isInstance(value) &&
      (value as { __pulumiType?: string }).__pulumiType === typeToken("RotatingApiKey")
    );
  }
}

const OUTPUTS = [
  ...["keyId", "name", "key", "createdAt", "rotateAt", "previousKeyId", "previousKey", "retireAfter", "nextAction"],
  ...["pending", "pendingRevocations", "lostNames"],
  ...["retired", "adopted", "revokeNow"],
];

/** Outputs that only the ledger needs. */
interface ForTheLedger {
  /** Ids of keys that the ledger revokes, or has revoked. */
  readonly retired: pulumi.Output<readonly string[] | undefined>;
  /** The id that the program gives. */
  readonly revokeNow: pulumi.Output<string | undefined>;
  /** The key that was adopted, whose name somebody else chose. */
  readonly adopted: pulumi.Output<{ readonly id: string; readonly name?: string } | undefined>;
}
