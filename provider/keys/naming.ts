import { randomBytes } from "node:crypto";
import type { ApiKeyRecord } from "../api/records";
import { shortDigest } from "../base32";
import { isoOf } from "../duration";
import { getOrCreate } from "../get-or-create";
import { shownName, withoutTrailing } from "../text";

/** The longest prefix of a generated name, in characters: 64 without the suffix and the number of an attempt. */
export const PREFIX_LENGTH = 46;

const TAG_LENGTH = 5;
const RANDOM_LENGTH = 7;

/** A suffix has a digit, so that no word is one: `organization` also has 12 letters. */
const SUFFIX = `(?=[a-z]*[2-7])[a-z2-7]{${TAG_LENGTH + RANDOM_LENGTH}}`;

/** The number of an attempt, from the second one on. */
const ATTEMPT = "[1-9]\\d{0,3}";

const GENERATED = new RegExp(`-(${SUFFIX})(?:-(${ATTEMPT}))?$`);

const CHECK_LENGTH = 4;

const DEADLINE_LENGTH = "-expyyyymmddthhmmz".length + CHECK_LENGTH;

const WITH_DEADLINE = new RegExp(`^(.+)-exp(\\d{8}t\\d{4}z)([a-z2-7]{${CHECK_LENGTH}})(-${SUFFIX}(?:-${ATTEMPT})?)$`);

/**
 * A new suffix: what makes the names of a resource's keys its own. `check` chooses it, so the engine has saved it before a
 * key with it is requested.
 * @param seed - What the random part is made from. @default random bytes
 */
export function newSuffix(urn: string, seed: Uint8Array | string = randomBytes(16)): string {
  // Hashed with the URN, because the engine can give the same seed to two resources that an alias connects.
  const given = `${Buffer.from(seed).toString("hex")} ${urn}`;
  for (let round = 0; ; round++) {
    const suffix = tagOf(urn) + shortDigest(`${given} ${round}`).slice(0, RANDOM_LENGTH);
    if (suffixIn(`-${suffix}`) !== undefined) return suffix;
  }
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

/**
 * Adds a deadline to the parts of a generated name: `<prefix>-exp<yyyymmddthhmmz><check>-<suffix>`, in UTC and rounded
 * down to a minute. The check covers the whole name, so no other name looks like one with a deadline by chance.
 */
function withDeadline(prefix: string, expiresAt: number, end: string): string {
  const minute = new Date(expiresAt).toISOString().slice(0, 16).replace(/[-:]/g, "");
  const time = `${minute.toLowerCase()}z`;
  return `${prefix}-exp${time}${checkOf(prefix, time, end)}${end}`;
}

/** The deadline in a key's name, in milliseconds since 1970; `undefined` unless the name is whole and well-formed. */
export function deadlineIn(name: string): number | undefined {
  const [, prefix = "", time = "", check, end = ""] = WITH_DEADLINE.exec(name) ?? [];
  if (check === undefined || check !== checkOf(prefix, time, end)) return undefined;
  const deadline = Date.parse(time.replace(/(....)(..)(..)t(..)(..)z/, "$1-$2-$3T$4:$5:00Z"));
  return Number.isNaN(deadline) ? undefined : deadline;
}

/** The deadline in a key's name as an ISO 8601 time; `undefined` if it has none. */
export function expiresAt(name = ""): string | undefined {
  return isoOf(deadlineIn(name));
}

const checkOf = (...parts: readonly string[]): string => shortDigest(parts.join(" ")).slice(0, CHECK_LENGTH);

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
