import { keyDigest } from "../../provider/key-digest";
import { decodedIn } from "./encoded";
import { LETTERS_AND_DIGITS, type Piece, RANDOM, runsOf, setOf } from "./runs";

/** Maximum number of random characters of a key with a digest. */
const MAX_RANDOM = 128;

/** Maximum number of words before them, such as `napi_`, and of characters of each. */
const WORDS = 4;
const WORD = 16;

/** How many bytes before the random characters can belong to the key. */
const MARGIN = WORDS * (WORD + 1) + 8;

/** How many bytes to search at once, and how many of them again with the next ones: more than an encoded key has. */
const WINDOW = 1 << 20;
const OVERLAP = 1 << 14;

/** How often to decode what was decoded: base64 within a URL within base64. */
const DEPTH = 3;

const PLAIN = setOf(LETTERS_AND_DIGITS);

/** A key as the service creates it: 64 of `[a-z0-9]`, which are not a hash in hex, after a prefix or none. */
const SERVICES = /^(?:[a-z]{2,10}_)?(?![0-9a-f]{64}$)[a-z0-9]{64}$/;

/** What can be a key, once for all places where it is. */
export interface Found {
  /** What the secret can be, by its digest: text directly before the random characters can be a part of it or not. */
  readonly secrets: Map<string, string>;
  /** The digest of what looks like a key of the service; `undefined` if only a state can tell that it is one. */
  service: string | undefined;
}

/**
 * Searches a text, of any size and in chunks, for whatever can be a key. Keeps a window of it, and what was found. Sees
 * each byte a limited number of times.
 */
export class KeySearch {
  /** By the random characters. */
  readonly #found = new Map<string, Found>();
  #waiting: Uint8Array[] = [];
  #size = 0;
  /** Whether the window does not begin where the text begins. */
  #isCut = false;

  /** Everything that was found so far, once each. */
  get found(): readonly Found[] {
    return [...this.#found.values()];
  }

  add(chunk: Uint8Array): void {
    this.#waiting.push(chunk);
    this.#size += chunk.length;
    if (this.#size < WINDOW + OVERLAP) return;
    const bytes = Buffer.concat(this.#waiting, this.#size);
    this.#search({ bytes, openStart: this.#isCut, openEnd: true }, 0);
    this.#waiting = [bytes.subarray(-OVERLAP)];
    this.#size = OVERLAP;
    this.#isCut = true;
  }

  /** Searches the rest of the text. */
  end(): void {
    const bytes = Buffer.concat(this.#waiting, this.#size);
    this.#search({ bytes, openStart: this.#isCut, openEnd: false }, 0);
    this.#waiting = [];
    this.#size = 0;
  }

  #search(piece: Piece, depth: number): void {
    const { bytes, openStart, openEnd } = piece;
    for (const [from, to] of runsOf(bytes, PLAIN, RANDOM)) {
      // The window before had all of what is near the start of this one.
      const isPart = (openStart && from < MARGIN) || (openEnd && to === bytes.length);
      if (!isPart) this.#note(bytes, from, to);
    }
    if (depth < DEPTH) for (const inner of decodedIn(piece)) this.#search(inner, depth + 1);
  }

  #note(bytes: Buffer, from: number, to: number): void {
    if (to - from > MAX_RANDOM) return;
    const starts = startsOf(bytes, from);
    const shortest = bytes.toString("latin1", Math.max(...starts), to);
    const known = this.#found.get(shortest);
    const found = known ?? { secrets: new Map<string, string>(), service: undefined };
    for (const start of starts) {
      const secret = bytes.toString("latin1", start, to);
      const digest = keyDigest(secret);
      if (digest === undefined || found.secrets.has(digest)) continue;
      found.secrets.set(digest, secret);
      if (SERVICES.test(secret)) found.service = digest;
    }
    if (known === undefined && found.secrets.size > 0) this.#found.set(shortest, found);
  }
}

/** Where a key can begin whose random characters begin at a place: there, at words before it, or after an escape. */
function startsOf(bytes: Buffer, from: number): number[] {
  const [HYPHEN, UNDERSCORE] = [0x2d, 0x5f];
  const starts = [from];
  for (let at = from; starts.length <= WORDS; ) {
    const mark = bytes[at - 1];
    if (mark !== HYPHEN && mark !== UNDERSCORE) break;
    let start = at - 1;
    while (start > 0 && at - 1 - start < WORD && PLAIN[bytes[start - 1] ?? 0] === 1) start--;
    if (start === at - 1) break;
    starts.push(start);
    at = start;
  }
  return starts.flatMap((start) => [start, ...afterEscape(bytes, start)]);
}

/** Escapes whose end looks like the start of a key: in URLs (also twice), quoted-printable, JSON, and of colors. */
const ESCAPES = [
  /%25(?:25)?[0-9a-f]{2}/iy,
  /%[0-9a-f]{2}/iy,
  /=[0-9A-F]{2}/y,
  /\\(?:u.{4}|x..|[^ux])/y,
  /[[;]\d{0,3}m/y,
];

/** Where a key begins if what is taken for its first characters belongs to an escape, as in `%20` and `\n`. */
function afterEscape(bytes: Buffer, start: number): number[] {
  const text = bytes.toString("latin1", start - 1, start + WORD);
  return ESCAPES.flatMap((pattern) => {
    pattern.lastIndex = 0;
    return pattern.test(text) ? [start - 1 + pattern.lastIndex] : [];
  });
}
