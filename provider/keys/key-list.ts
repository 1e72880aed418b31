import type { Account } from "../api/account";
import type { Keys } from "../api/keys/api-keys";
import type { ApiKeyRecord } from "../api/records";
import { isAborted, isKeyplaneError, KeyplaneError } from "../errors";
import type { Members } from "../members";
import type { Settings } from "../settings/settings";
import { keyIdsIn, lostNamesIn } from "../stack/keys-in-state";
import type { Call } from "./call";
import { shownResource } from "./naming";
import type { Scope } from "./scope";

/** One list of keys of the service: an account's, or an organization's. All calls of a process share it. */
export interface KeyList {
  readonly scope: Scope;
  readonly settings: Settings;
  readonly account: Account;
  readonly keys: Keys;
  readonly memory: KeyMemory;
  /** What a state records of it; see `fingerprint.ts`. */
  readonly fingerprint: string;
}

/** What this process remembers of one list of keys. */
export class KeyMemory {
  readonly #ids = new Set<string>();
  readonly #names = new Set<string>();
  /** The list that this process has requested first, before its first creation, and who asked. */
  first: { readonly keys: Promise<readonly ApiKeyRecord[]>; readonly urn: string } | undefined;
  /** The list that was requested after another one lacked a key. */
  second: Promise<readonly ApiKeyRecord[]> | undefined;
  /** The passes over the first list for orphans: a refresh reports them, a change revokes them. */
  readonly passes = new Map<"report" | "revoke", Promise<readonly string[]>>();
  readonly reported = new Set<string>();

  /** Remembers the keys of a resource that the engine shows, or that was made: they are no orphans. */
  remember(outputs: Members): void {
    for (const id of keyIdsIn(outputs)) this.#ids.add(id);
    // The resource itself looks for the keys of its lost requests.
    for (const name of lostNamesIn(outputs)) this.#names.add(name);
  }

  /** Whether a resource that this process has seen or made has a key. */
  has({ id, name }: Pick<ApiKeyRecord, "id" | "name">): boolean {
    return this.#ids.has(id) || this.#names.has(name);
  }
}

/**
 * The list that this process requests before its first creation. If it fails, the resource that asked first has the
 * whole message, and the others refer to it.
 */
export async function firstList({ keyList, urn }: Pick<Call, "keyList" | "urn">): Promise<readonly ApiKeyRecord[]> {
  const { memory } = keyList;
  const isAsker = memory.first === undefined;
  memory.first ??= { keys: keyList.keys.list(), urn };
  const { first } = memory;
  try {
    return await first.keys;
  } catch (error) {
    if (memory.first === first) memory.first = undefined;
    if (isAsker || first.urn === urn || !isKeyplaneError(error) || isAborted(error)) throw error;
    const asker = shownResource(first.urn);
    throw new KeyplaneError(error.code, `the list of keys could not be read: see the error of ${asker}`, error);
  }
}
