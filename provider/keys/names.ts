import { randomBytes } from "node:crypto";
import type { ApiKeyRecord } from "../api/records";
import { base32, shortDigest } from "../base32";
import { getOrCreate } from "../get-or-create";
import { type Members, membersOf, textOf } from "../members";
import type { HeldName } from "../schema/witness";
import { shownName, withoutTrailing } from "../text";
import { ownerIdIn, urnIn } from "./identity";
import { DEADLINE_LENGTH, withDeadline } from "./lease";

/** The longest prefix in characters. It leaves room for the owner's tag. */
export const PREFIX_LENGTH = 46;

/** The longest prefix in characters that also leaves room for the resource's tag. */
export const PREFIX_LENGTH_WITH_URN = 37;

const tags = new Map<string, string>();

/** The tag of an owner's id or of a URN in the names of keys: 8 characters that do not reveal it. */
export function ownerTag(owner: string): string {
  // Cached, because a process has few owners but needs the tag for each key in a list.
  return getOrCreate(tags, owner, () => shortDigest(owner));
}

/**
 * An auto-name of at most 64 characters of `[a-z0-9-]`: `<prefix>-<owner's tag>-<nonce>`, or with a URN in the identity
 * `<prefix>-<owner's tag>-<URN's tag>-<nonce>`. A deadline stands before the tags. No two requests share a nonce, so a
 * key with the name can only come from its request.
 * @param expiresAt - The deadline, in milliseconds since 1970.
 */
export function autoName(prefix: string, identity: string, nonce: string, expiresAt?: number): string {
  const longest = urnIn(identity) === undefined ? PREFIX_LENGTH : PREFIX_LENGTH_WITH_URN;
  const tagsAndNonce = `-${tagsOf(identity)}-${nonce}`;
  if (expiresAt === undefined) return shortened(prefix, longest) + tagsAndNonce;
  return withDeadline(shortened(prefix, longest - DEADLINE_LENGTH), expiresAt, tagsAndNonce);
}

const shortened = (prefix: string, longest: number): string => withoutTrailing(prefix.slice(0, longest), "-");

const NONCE_LENGTH = 8;
const RUN_LENGTH = 5;

/** A random id of a run, which begins the nonces of the dynamic provider. */
export function newRunId(): string {
  return base32(randomBytes(4)).slice(0, RUN_LENGTH);
}

/** What stands after the id of a run, or the seed of a creation, in the state: when the run was started, in whole seconds. */
export function startMark(startedAt: number): string {
  return `@${Math.floor(startedAt / 1_000).toString(36)}`;
}

/** The id or the seed in such a record, and when its run was started, in milliseconds since 1970, if it has that. */
export function readRecord(record: string): { readonly id: string; readonly startedAt: number | undefined } {
  const [id = "", start = ""] = record.split("@");
  const startedAt = Number.parseInt(start, 36) * 1_000;
  return { id, startedAt: Number.isNaN(startedAt) ? undefined : startedAt };
}

/** The id of the run that requested an auto-name of the dynamic provider. */
export function runIn(name: string): string {
  return name.slice(-NONCE_LENGTH, -NONCE_LENGTH + RUN_LENGTH);
}

/** Makes the nonces of a run. They are counted, so that two of a run never agree. */
export function noncesOf(runId: string): () => string {
  let count = randomBytes(2).readUInt16BE();
  return () => {
    // Three characters have 15 bits, which are the first ones of two bytes.
    count += 2;
    return runId + base32(Buffer.from([count >> 8, count]));
  };
}

/** Maximum number of names to try for one key, with one request each. */
export const MAX_NAMES = 3;

/** A nonce from a seed: always the same one for the same attempt. */
export function nonceFrom(seed: string, attempt: number): string {
  return shortDigest(`${seed} ${attempt}`);
}

/** Whether a key's name was generated for exactly this identity: for its owner, and for its resource if it has a URN. */
export function isNamedFor(name: string, identity: string): boolean {
  return isAutoName(name) && name.slice(0, -NONCE_LENGTH - 1).endsWith(`-${tagsOf(identity)}`);
}

/** Whether a key's name was generated for the URN in an identity, by any owner. */
export function isNamedForUrn(name: string, identity: string): boolean {
  return isAutoName(name) && name.slice(0, -NONCE_LENGTH - 1).endsWith(`-${ownerTag(urnIn(identity) ?? "")}`);
}

function tagsOf(identity: string): string {
  const urn = urnIn(identity);
  const tag = ownerTag(ownerIdIn(identity));
  return urn === undefined ? tag : `${tag}-${ownerTag(urn)}`;
}

/** Formats a key for messages. The service chose its name. */
export function formatKey({ id, name }: HeldName): string {
  return `${id} (${shownName(name)})`;
}

/** Formats a key of a list for messages, with its age and use. */
export function formatListed({ id, name, createdAt, lastUsedAt }: ApiKeyRecord): string {
  return `${id} (${shownName(name)}, created ${createdAt}, ${lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`})`;
}

export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The last tag in an auto-name: the resource's in one of the plugin, otherwise the owner's. `undefined` for any other name. */
export function tagOf(name: string): string | undefined {
  return /^[a-z0-9][a-z0-9-]*-([a-z2-7]{8})-[a-z2-7]{8}$/.exec(name)?.[1];
}

export function isAutoName(name: string): boolean {
  return tagOf(name) !== undefined;
}

/** Whether a key's name was generated for any resource of an owner, by the dynamic provider or by the plugin. */
export function hasTagOf(name: string, ownerId: string): boolean {
  return tagsIn(name).includes(ownerTag(ownerId));
}

/** What can be an owner's tag in a key's name: in an auto-name of the dynamic provider, and in one of the plugin. */
export function tagsIn(name: string): readonly string[] {
  const last = tagOf(name);
  if (last === undefined) return [];
  const before = /-([a-z2-7]{8})$/.exec(name.slice(0, -2 * (NONCE_LENGTH + 1)))?.[1];
  return before === undefined ? [last] : [last, before];
}

/** The default prefix: the resource's name, without the characters that a key's name cannot have. */
export function prefixFrom(resourceName: string): string {
  const plain = resourceName.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return withoutTrailing(plain.replace(/^-+/, "").slice(0, PREFIX_LENGTH), "-") || "key";
}

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
