// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import type * as pulumi from "@pulumi/pulumi";
import type { AsInputs } from "./runtime";

/** Work that must end before an existing key is ready. */
export interface PendingWork {
  /** An operation's action such as `start_compute`, or `verify` for a new key's test call. */
  readonly action: string;
  /** The project of an operation. */
  readonly projectId?: string | undefined;
  /** The operation's id. */
  readonly operationId?: string | undefined;
  /** Set if the work has failed. The next `up` then replaces the key. Allowed: "failed". */
  readonly status?: string | undefined;
}

/** Who can open a sealed key. The key is sealed once in each format that is given. */
export interface Recipients {
  /**
   * Public keys of age with 62 characters, which begin with `age1`: `age-keygen` makes them. Each of them can open the
   * same text. Keys with post-quantum security (`age1pq1`), of plugins and of SSH are refused.
   */
  readonly age?: string[] | undefined;
  /**
   * The public key of a repository, an environment or an organization, with which GitHub takes secrets. You can pass
   * the result of `getActionsPublicKey` of Pulumi's GitHub provider.
   */
  readonly githubActions?: GithubActionsKey | undefined;
}

/** The form of `Recipients` whose members can be outputs of resources. */
export interface RecipientsArgs extends AsInputs<Recipients> {}

/** A public key with which GitHub takes secrets. */
export interface GithubActionsKey {
  /** The public key: 44 characters of base64. */
  readonly key: string;
  /** The id that GitHub gives to the public key. It has no effect on the sealed text. */
  readonly keyId?: string | undefined;
}

/** The form of `GithubActionsKey` whose members can be outputs of resources. */
export interface GithubActionsKeyArgs extends AsInputs<GithubActionsKey> {}

/** A sealed key, in each format of its recipients. It is no secret: only they can open it. */
export interface SealedKey {
  /** The key in a file of age, as armored text; absent without recipients of age. */
  readonly age?: string | undefined;
  /** The key as the input `encryptedValue` of a secret in GitHub takes it; absent without a public key of GitHub. */
  readonly githubActions?: string | undefined;
}

/** A live key that was created by hand. */
export interface AdoptionArgs {
  /** The key's id, as decimal text: `npx keyplane keys` and the service's console show it. */
  readonly id: pulumi.Input<string>;
  /** The key's secret. Always registered as a secret, also if you pass plain text. */
  readonly key: pulumi.Input<string>;
}

/**
 * A weekly window in which keys may rotate by age. A moment is in the window if the clocks of `timeZone` then show a
 * day and a time of the window. A window in an hour that they skip when daylight saving time begins does not open on
 * that day. In an hour that they show twice when it ends, it opens twice. At least one of `days`, `startTime` and
 * `endTime` is required.
 */
export interface RotationWindow {
  /** The days on which the window opens: `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`. Defaults to every day. */
  readonly days?: string[] | undefined;
  /** The time of day at which the window opens, such as `09:00`. Defaults to "00:00". */
  readonly startTime?: string | undefined;
  /**
   * The time of day at which the window closes, such as `16:00`. If it is before `startTime`, the window closes on the
   * day after the one on which it has opened. Defaults to "24:00".
   */
  readonly endTime?: string | undefined;
  /** The time zone of the times: a name of the IANA database, such as `Europe/Berlin`. Defaults to "UTC". */
  readonly timeZone?: string | undefined;
}

/** The form of `RotationWindow` whose members can be outputs of resources. */
export interface RotationWindowArgs extends AsInputs<RotationWindow> {}

/** An API key of the account, as the service lists it; never its secret. */
export interface ApiKeyInfo {
  /** The key's id: decimal text. */
  readonly id: string;
  /** The name that it was created with. */
  readonly name: string;
  /** ISO 8601 time of creation. */
  readonly createdAt: string;
  /** ISO 8601 time of the last use; absent if it was never used. */
  readonly lastUsedAt?: string | undefined;
  /** Address of the last use; absent if it was never used. */
  readonly lastUsedFromAddr?: string | undefined;
  /** Who created it, if the service provides it. */
  readonly createdBy?: string | undefined;
  /**
   * The project that the key is limited to; absent for a key of a whole organization. Absent if the service does not
   * say, as for an account's own keys.
   */
  readonly projectId?: string | undefined;
}

/** A project of the account. */
export interface Project {
  /** The project's id. */
  readonly id: string;
  /** Its name, which need not be unique. */
  readonly name: string;
  /** The cloud that it runs on. */
  readonly platformId?: string | undefined;
  /** The region that it runs in. */
  readonly regionId?: string | undefined;
  /** The system that runs its computes. */
  readonly provisioner?: string | undefined;
  /** The major version of Postgres. */
  readonly pgVersion?: number | undefined;
  /** Whether an operation on it is in progress. */
  readonly locked?: boolean | undefined;
  /** CPU time used in this billing period, in seconds. */
  readonly cpuUsedSec?: number | undefined;
  /** When it was created, as an ISO 8601 time. */
  readonly createdAt: string;
  /** When it last changed, as an ISO 8601 time. */
  readonly updatedAt: string;
  /** The host for its connections. */
  readonly proxyHost?: string | undefined;
  /** The maximum logical size of a branch, in MiB. */
  readonly branchLogicalSizeLimit?: number | undefined;
  /** The organization that it belongs to. */
  readonly orgId?: string | undefined;
}

/** An action of the control plane on a part of a project. */
export interface Operation {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The branch that it acts on, if any. */
  readonly branchId?: string | undefined;
  /** The compute endpoint that it acts on, if any. */
  readonly endpointId?: string | undefined;
  /** Kind of operation, e.g. `start_compute`; the service may add kinds at any time. */
  readonly action: string;
  /** E.g. `scheduling`, `running`, `finished`, `failed`; the service may add more at any time. */
  readonly status: string;
  /** Number of failed attempts. */
  readonly failuresCount: number;
  /** When it was created, as an ISO 8601 time. */
  readonly createdAt: string;
  /** When it last changed, as an ISO 8601 time. */
  readonly updatedAt: string;
}
