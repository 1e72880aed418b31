import type { Holder, StackState } from "../../provider/stack/keys-in-state";
import type { InventoryKey } from "../keys/inventory";

/** Everything that a report shows, and the output of `--json`. It contains no secret. */
export interface Report {
  /** ISO 8601 time of the report, by the service's clock. */
  readonly at: string;
  /** The version of keyplane. */
  readonly version: string;
  readonly accounts: readonly ReportAccount[];
  readonly stacks: readonly ReportStack[];
  readonly keys: readonly ReportKey[];
  /** Number of keys for each flag that occurs. */
  readonly flagged: Readonly<Partial<Record<Flag, number>>>;
}

/** A list of keys of the service: of an account, or of an organization in it. */
interface ReportAccount {
  /** `(default)` or the account's name, and the organization if there is one: `eu, org-white-meadow`. Unique. */
  readonly label: string;
  /** The service's scheme, host and port. */
  readonly origin: string;
  /** Number of live keys; absent if the list could not be read. */
  readonly keys?: number | undefined;
  /** Why the list could not be read. */
  readonly problem?: string | undefined;
}

/** A state that was given. */
export interface ReportStack extends Pick<StackState, "stack" | "savedAt"> {
  /** Number of keys that it holds. */
  readonly keys: number;
  /** Whether a newer state of the same stack was given, so that this one was left out. */
  readonly isOutdated?: true | undefined;
  /** Number of resources whose keys' ids are encrypted. Their keys appear as unmanaged. */
  readonly hidden?: number | undefined;
  /** Number of operations that were in progress when it was saved. */
  readonly underWay?: number | undefined;
}

/** A key of the service, of a state, or of both. */
export interface ReportKey extends Pick<InventoryKey, "id" | "expiresAt" | "stack" | "resource"> {
  /** Absent if neither the service nor a state has it. */
  readonly name?: string | undefined;
  /**
   * `live`: the service lists it. `gone`: the list that had it does not contain it any more. `not found`: no list
   * contains it, but it may belong to an account that was not asked.
   */
  readonly status: "live" | "gone" | "not found";
  /** Labels of the accounts that list it, or that listed it. Empty if they are unknown. */
  readonly accounts: readonly string[];
  /** ISO 8601 time of creation. */
  readonly createdAt?: string | undefined;
  /** ISO 8601 time of the last use; `null` if it was never used. Only of live keys. */
  readonly lastUsedAt?: string | null | undefined;
  readonly lastUsedFromAddr?: string | undefined;
  readonly createdBy?: string | undefined;
  /** The project that it is limited to. */
  readonly projectId?: string | undefined;
  /** The resources that hold it, the one that decides what happens next first. */
  readonly holders: readonly ReportHolder[];
  /** ISO 8601 time from which the next `up` rotates it (`rotateAfter`). */
  readonly rotateAt?: string | undefined;
  /** ISO 8601 time from which the next `up` may revoke it: the end of its grace. */
  readonly revokeAfter?: string | undefined;
  readonly next: NextStep;
  readonly flags: readonly Flag[];
  /** What is known about its life, in order of time. */
  readonly events: readonly KeyEvent[];
}

/** A resource that holds a key. */
export interface ReportHolder extends Pick<Holder, "urn" | "role"> {
  /** `project/stack`. */
  readonly stack: string;
  /** Its name in the program. */
  readonly resource: string;
  /** Its type without the package, such as `RotatingApiKey`. */
  readonly type: string;
  /** Which of both front ends manages it. */
  readonly frontEnd: "npm" | "plugin";
  /** Whether the resource adopted a key that was created elsewhere. */
  readonly isAdopted?: true;
  /** Whether the state has only texts that the recipients of the key can open (`sealTo`). */
  readonly isSealed?: true;
  /** URNs of the resources that use the resource's outputs. */
  readonly consumers: readonly string[];
}

/** What happens to a key next, if nobody changes the program. */
export interface NextStep {
  readonly action: "rotate" | "replace" | "revoke" | "wait" | "create" | "stay" | "decide" | "none";
  /** ISO 8601 time before which it does not happen. Absent if no time is set. */
  readonly after?: string;
  /** Whether the next `pulumi up` does it. */
  readonly isDue: boolean;
  /** The same in words. */
  readonly text: string;
}

/**
 * `left-behind`: no given state holds it, but one shows that an interrupted run created it. `unmanaged`: no given state holds
 * it, and none shows that.
 * `unused` and `overdue`: not used for long, or not rotated in time. `expired`: it is live after its deadline.
 * `previous`: a successor has replaced it. `gone` and `not found`: a state holds it, but no list does. `several states`:
 * more than one state holds it.
 */
export type Flag = (typeof FLAGS)[number];

/** The flags in the order in which they need attention. */
export const FLAGS = [
  ...(["expired", "overdue", "left-behind", "unmanaged", "gone", "not found"] as const),
  ...(["unused", "several states", "previous"] as const),
] as const;

/** A moment in a key's life. */
export interface KeyEvent {
  /**
   * `delivered`: all its consumers had it by then. `rotated`: its successor replaced it. `used`: its last use.
   * `rotation due` and `grace ends` are dates of the state, `deadline` is that of its name. `gone`: the list lacked it.
   */
  readonly what: "created" | "delivered" | "rotated" | "used" | "rotation due" | "grace ends" | "deadline" | "gone";
  /** ISO 8601 time. */
  readonly at: string;
}
