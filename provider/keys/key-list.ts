import type { Account } from "../api/account";
import type { Keys } from "../api/keys/api-keys";
import type { Settings } from "../settings/settings";
import type { KeyMemory } from "./memory";
import type { Scope } from "./scope";

/** One list of keys of the service: an account's, or an organization's. All calls of a process share it. */
export interface KeyList {
  readonly scope: Scope;
  readonly settings: Settings;
  readonly account: Account;
  readonly keys: Keys;
  readonly memory: KeyMemory;
  /** What a state records of it; see `account.ts`. */
  readonly fingerprint: string;
}
