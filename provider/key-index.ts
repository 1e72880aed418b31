import type { ApiKeyRecord } from "./api/records";

const indexes = new WeakMap<readonly ApiKeyRecord[], ReadonlyMap<string, ApiKeyRecord>>();

/**
 * The key of this id in a list. The reads of a refresh share one list: it is indexed once, for if each searched it, a
 * stack of keys would cost its square.
 */
export function keyIn(keys: readonly ApiKeyRecord[], id: string): ApiKeyRecord | undefined {
  let index = indexes.get(keys);
  if (index === undefined) {
    index = new Map(keys.map((key) => [key.id, key]));
    indexes.set(keys, index);
  }
  return index.get(id);
}
