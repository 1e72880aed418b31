import { createHmac, randomBytes } from "node:crypto";
import { base32, sha256 } from "../base32";

const SALT_LENGTH = 8;
const HASH_BYTES = 10;

/** Begins a digest that is made with a key. Digests of former versions have only the salt and a hash. */
const KEYED = "hmac.";
const MAC_BYTES = 20;

/** A digest in a state, with the secret that it is made with. */
export interface Digest {
  readonly text: string;
  readonly key: string;
}

/**
 * A digest of a value, to detect later whether the value has changed. The value itself may contain a secret, and an
 * output without an input of the same name is not encrypted in the state. Whoever reads the digest must not be able to
 * guess a weak secret, so it is made with a strong one, which is encrypted in the state.
 */
export function digestOf(value: unknown, key: string): Digest {
  return keyed(salted(value, base32(randomBytes(5))), key);
}

/** A random key for digests, for a resource whose state has no other secret. */
export function newDigestKey(): string {
  return base32(randomBytes(MAC_BYTES));
}

/** A digest in a state. One of a former version, made without a key, becomes one of the same value with the key. */
export function keyed(text: string, key: string): Digest {
  if (isKeyed(text)) return { text, key };
  const mac = createHmac("sha256", key).update(text).digest();
  return { text: `${KEYED}${text.slice(0, SALT_LENGTH)}${base32(mac.subarray(0, MAC_BYTES))}`, key };
}

export function isKeyed(text: string): boolean {
  return text.startsWith(KEYED);
}

export function isDigestOf(value: unknown, { text, key }: Digest): boolean {
  const salt = text.slice(KEYED.length, KEYED.length + SALT_LENGTH);
  return keyed(salted(value, salt), key).text === text;
}

function salted(value: unknown, salt: string): string {
  const hash = sha256(`${salt}\n${JSON.stringify(inOneOrder(value))}`);
  return `${salt}${base32(hash.subarray(0, HASH_BYTES))}`;
}

/** The value with the members of its objects sorted, because their order has no meaning. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, inOneOrder(member)]);
}
