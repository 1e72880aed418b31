const indexes = new WeakMap<object, ReadonlyMap<string, unknown>>();

/**
 * The key of this id in a list. The reads of a refresh share one list: it is indexed once, for if each searched it, a
 * stack of keys would cost its square.
 */
export function keyIn<Key extends { readonly id: string }>(keys: readonly Key[], id: string): Key | undefined {
  let index = indexes.get(keys) as ReadonlyMap<string, Key> | undefined;
  if (index === undefined) {
    index = new Map(keys.map((key) => [key.id, key]));
    indexes.set(keys, index);
  }
  return index.get(id);
}
