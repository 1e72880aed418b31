import { getOrCreate } from "./get-or-create";

const indexes = new WeakMap<object, ReadonlyMap<string, unknown>>();

/**
 * Finds a key in a list by its id. All reads of a refresh share one list. It is indexed once, because a search for each
 * key would take quadratic time.
 */
export function keyIn<Key extends { readonly id: string }>(keys: readonly Key[], id: string): Key | undefined {
  const index = getOrCreate(indexes, keys, () => new Map(keys.map((key) => [key.id, key])));
  return index.get(id) as Key | undefined;
}
