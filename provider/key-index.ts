const indexes = new WeakMap<object, ReadonlyMap<string, unknown>>();

/**
 * Finds a key in a list by its id. All reads of a refresh share one list. It is indexed once, because a search for each
 * key would take quadratic time.
 */
export function keyIn<Key extends { readonly id: string }>(keys: readonly Key[], id: string): Key | undefined {
  let index = indexes.get(keys) as ReadonlyMap<string, Key> | undefined;
  if (index === undefined) {
    index = new Map(keys.map((key) => [key.id, key]));
    indexes.set(keys, index);
  }
  return index.get(id);
}
