import { createHash, randomBytes } from "node:crypto";
import { base32 } from "../base32";

const PREFIX_LENGTH = 46;

const tags = new Map<string, string>();

/** The owner's tag in the names of its keys: 8 characters that do not reveal the owner's id. */
export function ownerTag(owner: string): string {
  // Cached, because a process has few owners but needs the tag for each key in a list.
  let tag = tags.get(owner);
  if (tag === undefined) {
    tag = base32(createHash("sha256").update(owner).digest().subarray(0, 5));
    tags.set(owner, tag);
  }
  return tag;
}

/**
 * A new auto-name, `<prefix>-<owner's tag>-<nonce>`: at most 64 characters of `[a-z0-9-]`. The nonce is random, so that
 * no two requests share a name, and a key with the name can only come from its request.
 */
export function autoName(prefix: string, owner: string): string {
  return `${prefix}-${ownerTag(owner)}-${base32(randomBytes(5))}`;
}

/** The resource's name in a URN. */
export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The owner's tag in an auto-name; `undefined` for any other name. */
export function tagOf(name: string): string | undefined {
  return /^[a-z0-9][a-z0-9-]*-([a-z2-7]{8})-[a-z2-7]{8}$/.exec(name)?.[1];
}

/** The default prefix: the resource's name, without the characters that a key's name cannot have. */
export function prefixFrom(resourceName: string): string {
  const plain = resourceName.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-+/, "").slice(0, PREFIX_LENGTH).replace(/-+$/, "") || "key";
}
