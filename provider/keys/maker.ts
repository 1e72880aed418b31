import { type Members, membersOf, textOf } from "../members";
import { ownerIdIn } from "./identity";
import { ownerTag, tagsIn } from "./names";

export interface MadeBy {
  readonly name: string | undefined;
  /** The tag of the owner that created or adopted it, if its name does not show that. */
  readonly maker: string | undefined;
}

/**
 * Whether another stack created a key, because the state of the stack that now holds it was copied, or renamed without
 * the setting `renamedFrom`. Such a key is not revoked here.
 * @param identity - The identity of the stack that holds it now.
 */
export function isOthers(key: MadeBy, identity: string | undefined): boolean {
  return identity !== undefined && isMadeByOneOf(key, [ownerTag(ownerIdIn(identity))]) === false;
}

/** Whether one of the owners with these tags created a key; `undefined` if nothing shows who did. */
export function isMadeByOneOf({ name, maker }: MadeBy, tags: readonly string[]): boolean | undefined {
  const makers = maker === undefined ? tagsIn(name ?? "") : [maker];
  if (makers.length === 0 || tags.length === 0) return undefined;
  return makers.some((tag) => tags.includes(tag));
}

/** What the outputs of a resource say about the maker of one of its keys. `mintedBy` is about the current key only. */
export function makerIn(outputs: Members, id: string): string | undefined {
  const adopted = adoptedIn(outputs);
  if (adopted?.id === id) return adopted.by;
  return outputs.keyId === id ? textOf(outputs.mintedBy) : undefined;
}

/** The key that a resource adopted, and the tag of the owner that adopted it. */
export function adoptedIn({ adopted }: Members): { readonly id: string; readonly by: string } | undefined {
  const { id, by } = membersOf(adopted);
  return typeof id === "string" && typeof by === "string" ? { id, by } : undefined;
}
