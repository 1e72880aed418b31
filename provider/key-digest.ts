import { base32, sha256 } from "./base32";

/** Begins what is hashed, so that the digest of a key is no digest of the same text made for another purpose. */
const KEY_DOMAIN = "keyplane key digest 1\n";
const KEY_BYTES = 16;

/**
 * The public digest of a key's secret: 25 characters of base32, which are 125 bits of SHA-256. A state has it in plain
 * text, so that a key that was found somewhere can be traced to its resource. `undefined` for a secret that does not
 * look random: whoever reads its digest could guess it. A random one has at least 160 bits, which nobody can try.
 */
export function keyDigest(key: string | undefined): string | undefined {
  if (key === undefined || !isRandomKey(key)) return undefined;
  return base32(sha256(KEY_DOMAIN + key).subarray(0, KEY_BYTES));
}

/**
 * A key with a digest: words before `_` or `-`, such as `napi_`, and random letters and digits up to the end. The
 * service's keys have 64 of `[a-z0-9]` there.
 */
const RANDOM_KEY = /^(?:[A-Za-z0-9]{1,16}[_-]){0,4}([A-Za-z0-9]{40,128})$/;

/** Minimum number of different characters. Random hex has 16. */
const DIFFERENT = 12;

/** Maximum mean length of the parts that have only digits, only upper case or only lower case. Random text has 3. */
const CHANGE = 10;

/**
 * Whether a secret is long and looks random. Words, repeated parts and rows such as `abcdef` have fewer different pairs
 * of characters, or fewer changes between digits, upper case and lower case, than random text of their length: a random
 * key is refused less than once in 100,000 keys.
 */
export function isRandomKey(key: string): boolean {
  const random = RANDOM_KEY.exec(key)?.[1];
  if (random === undefined) return false;
  turn++;
  let [characters, pairs, changes] = [0, 0, 0];
  const isNew = (slot: number) => {
    const before = seenIn[slot];
    seenIn[slot] = turn;
    return Number(before !== turn);
  };
  for (let at = 0, last = 0; at < random.length; at++) {
    const code = random.charCodeAt(at);
    characters += isNew(code);
    if (at > 0) {
      pairs += isNew(last * 128 + code);
      changes += Number(kindOf(last) !== kindOf(code));
    }
    last = code;
  }
  return characters >= DIFFERENT && pairs >= (random.length * 2) / 3 && changes >= random.length / CHANGE;
}

/** For each character and each pair of them, the call that has seen it last: a text can have a million hashes. */
const seenIn = new Float64Array(128 * 128);
let turn = 0;

const kindOf = (code: number) => (code < 0x3a ? 0 : code < 0x5b ? 1 : 2);
