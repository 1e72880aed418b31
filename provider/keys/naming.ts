import { randomBytes } from "node:crypto";
import type { ApiKeyRecord } from "../api/records";
import { shortDigest } from "../base32";
import { getOrCreate } from "../get-or-create";
import { shownName, withoutTrailing } from "../text";
import { DEADLINE_LENGTH, withDeadline } from "./deadline";

/** The longest prefix of a generated name, in characters: 64 without the suffix and the number of an attempt. */
export const PREFIX_LENGTH = 46;

const TAG_LENGTH = 5;
const RANDOM_LENGTH = 7;

/** A generated name ends with a suffix, and from the second attempt on with its number. */
const GENERATED = /-([a-z2-7]{12})(?:-([1-9]\d{0,3}))?$/;

/**
 * A new suffix: what makes the names of a resource's keys its own. `check` chooses it, so the engine has saved it before a
 * key with it is requested.
 * @param seed - What the random part is made from. @default random bytes
 */
export function newSuffix(urn: string, seed: Uint8Array | string = randomBytes(16)): string {
  // Hashed with the URN, because the engine can give the same seed to two resources that an alias connects.
  return tagOf(urn) + shortDigest(`${Buffer.from(seed).toString("hex")} ${urn}`).slice(0, RANDOM_LENGTH);
}

/**
 * The tag of a resource's stack: a digest of the stack and the project in the URN. A hint, so that a list shows what belongs
 * to a stack: stacks of one name in two backends share it.
 */
export function tagOf(urn: string): string {
  return shortDigest(urn.split("::").slice(0, 2).join("::")).slice(0, TAG_LENGTH);
}

/** The tag in a suffix. */
export function tagIn(suffix: string): string {
  return suffix.slice(0, TAG_LENGTH);
}

/**
 * The name of a resource's n-th attempt, at most 64 characters of `[a-z0-9-]`: `<prefix>[-exp<deadline>]-<suffix>[-<n>]`. No
 * name is requested again while an earlier request can have a key, so a key that has it can only come from its request.
 * @param expiresAt - The deadline, in milliseconds since 1970.
 */
export function nameOf(prefix: string, suffix: string, n: number, expiresAt?: number): string {
  const end = n === 1 ? `-${suffix}` : `-${suffix}-${n}`;
  if (expiresAt === undefined) return shortened(prefix, PREFIX_LENGTH) + end;
  return withDeadline(shortened(prefix, PREFIX_LENGTH - DEADLINE_LENGTH), expiresAt, end);
}

const shortened = (prefix: string, longest: number): string => withoutTrailing(prefix.slice(0, longest), "-");

/** The suffix in a key's name; `undefined` if the name was not generated. */
export function suffixIn(name: string): string | undefined {
  return GENERATED.exec(name)?.[1];
}

/** Which request of its resource a generated name is of. */
export function attemptIn(name: string): number {
  return Number(GENERATED.exec(name)?.[2] ?? 1);
}

const bySuffix = new WeakMap<readonly ApiKeyRecord[], ReadonlyMap<string, readonly ApiKeyRecord[]>>();

/**
 * The keys of a list that have generated names, by their suffixes. Indexed once, because all calls of a run share a list, and a
 * search for each of them would take quadratic time.
 */
export function keysBySuffix(keys: readonly ApiKeyRecord[]): ReadonlyMap<string, readonly ApiKeyRecord[]> {
  return getOrCreate(bySuffix, keys, () => {
    const found = new Map<string, ApiKeyRecord[]>();
    for (const key of keys) {
      const suffix = suffixIn(key.name);
      if (suffix !== undefined) getOrCreate(found, suffix, () => []).push(key);
    }
    return found;
  });
}

/** The last attempt among the listed names with a suffix; 0 if there is none. */
export function highestListed(keys: readonly ApiKeyRecord[], suffix: string): number {
  return Math.max(0, ...(keysBySuffix(keys).get(suffix) ?? []).map(({ name }) => attemptIn(name)));
}

/** The default prefix: the resource's name, without the characters that a key's name cannot have. */
export function prefixFrom(resourceName: string): string {
  const plain = resourceName.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return withoutTrailing(plain.replace(/^-/, "").slice(0, PREFIX_LENGTH), "-") || "key";
}

export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The name of a resource in quotes, for messages. */
export function shownResource(urn: string): string {
  return JSON.stringify(shownName(nameInUrn(urn)));
}

/** Formats a key for messages. The service chose its name. */
export function formatKey({ id, name }: { readonly id: string; readonly name?: string | undefined }): string {
  return `${id} (${shownName(name)})`;
}

/** Formats a key of a list for messages, with its age and use. */
export function formatListed({ id, name, createdAt, lastUsedAt }: ApiKeyRecord): string {
  return `${id} (${shownName(name)}, created ${createdAt}, ${lastUsedAt === null ? "no use shown" : `last used ${lastUsedAt}`})`;
}
