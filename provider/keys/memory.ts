import type { ApiKeyRecord } from "../api/records";
import type { Members } from "../members";
import { lostNamesIn } from "../stack/keys-in-state";
import { keyIdsIn } from "./key-state";

/** What this process remembers of one list of keys. */
export class KeyMemory {
  readonly #ids = new Set<string>();
  readonly #names = new Set<string>();
  /** The list that this process has requested first, before its first creation, and who asked. */
  first: { readonly keys: Promise<readonly ApiKeyRecord[]>; readonly urn: string } | undefined;
  /** The passes over that list: one that reports for a refresh, and one that revokes for changes. */
  readonly passes = new Map<boolean, Promise<readonly string[]>>();
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
