import { createHash, createHmac, randomBytes } from "node:crypto";
import { base32 } from "../base32";

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

/** A digest in a state. One of a former version, made without a key, becomes one of the same value with the key. */
export function keyed(text: string, key: string): Digest {
  if (isKeyed(text)) return { text, key };
  const mac = createHmac("sha256", key).update(text).digest();
  return { text: `${KEYED}${text.slice(0, SALT_LENGTH)}${base32(mac.subarray(0, MAC_BYTES))}`, key };
}

/** Whether a digest is made with a key. */
export function isKeyed(text: string): boolean {
  return text.startsWith(KEYED);
}

/** Whether a digest was made of this value. */
export function isDigestOf(value: unknown, { text, key }: Digest): boolean {
  const salt = text.slice(KEYED.length, KEYED.length + SALT_LENGTH);
  return keyed(salted(value, salt), key).text === text;
}

function salted(value: unknown, salt: string): string {
  const hash = createHash("sha256")
    .update(`${salt}\n${JSON.stringify(inOneOrder(value))}`)
    .digest();
  return `${salt}${base32(hash.subarray(0, HASH_BYTES))}`;
}

/** The value with the members of its objects sorted, because their order has no meaning. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, inOneOrder(member)]);
}

/** Begins what is hashed, so that the digest of a key is no digest of the same text made for another purpose. */
const KEY_DOMAIN = "keyplane key digest 1\n";
const KEY_BYTES = 16;

/**
 * The public digest of a key's secret: 25 characters of base32, which are 125 bits of SHA-256. A state has it in plain
 * text, so that a key that was found somewhere can be traced to its resource. `undefined` for a secret that does not
 * look random: whoever reads its digest could guess it. A random one has more than 200 bits, which nobody can try.
 */
export function keyDigest(key: string | undefined): string | undefined {
  if (key === undefined || !isRandomKey(key)) return undefined;
  return base32(createHash("sha256").update(KEY_DOMAIN).update(key).digest().subarray(0, KEY_BYTES));
}

/** Minimum number of random characters of a key that gets a digest. The service's keys have 64 of `[a-z0-9]`. */
const RANDOM_LENGTH = 40;

/** A key with a digest: words before `_` or `-`, such as `napi_`, and random letters and digits up to the end. */
const RANDOM_KEY = /^(?:[A-Za-z0-9]{1,16}[_-]){0,4}([A-Za-z0-9]{40,128})$/;

/** Minimum number of different characters. Random hex has 16. */
const DIFFERENT = 12;

/**
 * Whether a secret is long and looks random. Words, repeated parts and rows such as `abcdef` have fewer different pairs
 * of characters, or fewer changes between digits, upper case and lower case, than random text of their length: a random
 * key is refused less than once in 100,000 keys.
 */
export function isRandomKey(key: string): boolean {
  const random = RANDOM_KEY.exec(key)?.[1];
  if (random === undefined) return false;
  const pairs = Array.from({ length: random.length - 1 }, (_, at) => random.slice(at, at + 2));
  const changes = pairs.filter(([one = "", other = ""]) => kindOf(one) !== kindOf(other)).length;
  return (
    new Set(random).size >= DIFFERENT &&
    new Set(pairs).size >= (pairs.length * 3) / 4 &&
    changes >= Math.max(RANDOM_LENGTH, random.length) / 8
  );
}

const kindOf = (character: string) => (/\d/.test(character) ? 0 : character < "a" ? 1 : 2);
