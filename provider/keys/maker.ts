import { ownerIdIn } from "./identity";
import { hasTagOf, isAutoName, ownerTag } from "./names";

/** What shows who created a key. */
export interface Made {
  readonly name: string | undefined;
  /** The tag of the owner that created or adopted it, if its name does not show that. */
  readonly maker: string | undefined;
}

/**
 * Whether another stack created a key, because the state of the stack that now holds it was copied, or renamed without
 * the setting `renamedFrom`. Such a key is not revoked here.
 * @param identity - The identity of the stack that holds it now.
 */
export function isOthers({ name, maker }: Made, identity: string | undefined): boolean {
  if (identity === undefined) return false;
  const ownerId = ownerIdIn(identity);
  if (maker !== undefined) return maker !== ownerTag(ownerId);
  return name !== undefined && isAutoName(name) && !hasTagOf(name, ownerId);
}
