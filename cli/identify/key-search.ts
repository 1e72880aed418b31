import { getOrCreate } from "../../provider/get-or-create";
import { keyDigest } from "../../provider/key-digest";

/** The random characters of a key. Before them can be words, such as `napi_`. */
const RANDOM = /(?<![A-Za-z0-9])[A-Za-z0-9]{40,128}(?![A-Za-z0-9])/g;
const WORDS = 4;
const MAX_WORDS = WORDS * 17;

/** A key as the service creates it: 64 of `[a-z0-9]`, which are not a hash in hex, after a prefix or none. */
const SERVICES = /^(?:[a-z]{2,10}_)?(?![0-9a-f]{64}$)[a-z0-9]{64}$/;

/** Colors, and escaped characters: in a URL, also of an escaped `%`; in JSON; in HTML; in quoted-printable. */
const ESCAPE =
  /\[(?:\d\d?;){0,4}\d?\d?m|%(?:25){0,2}([0-9a-f]{2})|\\[ux](?:00)?([0-9a-f]{2})|&#x([0-9a-f]{2});|=(3D|20|22)|&#(\d{2,3});|\\(["\\/])|\\[bfnrt]/gi;

/** Base64 of at least the random characters of a key, also for URLs, and on several lines. */
const BASE64 = /(?<![\w+/-])[\w+/-]{54,}(?:\s{1,64}[\w+/-]{4,})*/g;

/** How often to decode what was decoded: base64 within a URL within base64. */
const DEPTH = 3;

/** How many characters to search at once, and how many of them again with the next ones: more than an encoded key has. */
const WINDOW = 1 << 20;
const OVERLAP = 1 << 14;

/** How many characters without a space a window can lose at both ends. */
const WORD = 1 << 12;

/** What can be a key, once for all places where it is. */
export interface Found {
  /** What the secret can be, by its digest: words directly before the random characters can be a part of it or not. */
  readonly secrets: Map<string, string>;
  /** The digest of what looks like a key of the service; `undefined` if only a state can tell that it is one. */
  service: string | undefined;
}

/** Finds whatever can be a key in a text of any size. Keeps nothing else of it than a window. */
export async function findKeys(text: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<readonly Found[]> {
  const found = new Map<string, Found>();
  let [window, isPart] = ["", false];
  const search = (isOpen: boolean) => {
    // What touches a place where the text was cut may be incomplete. The window beside it has all of it.
    const start = isPart ? Math.min(WORD, window.search(/\s|$/)) : 0;
    const last = Math.max(window.lastIndexOf(" "), window.lastIndexOf("\n"), window.length - WORD);
    const searched = window.slice(start, isOpen ? last : window.length);
    for (const variant of variantsOf(searched, DEPTH)) addKeys(variant, found);
  };
  for await (const chunk of text) {
    window += Buffer.from(chunk).toString("latin1");
    if (window.length < WINDOW + OVERLAP) continue;
    search(true);
    [window, isPart] = [window.slice(-OVERLAP), true];
  }
  search(false);
  return [...found.values()];
}

/** A text, and what its encoded parts stand for. Unescaped text comes first, because it shows where a key begins. */
function* variantsOf(text: string, depth: number): Generator<string> {
  if (depth > 0) {
    const plain = text.replace(ESCAPE, (_, ...groups: (string | undefined)[]) => {
      const hex = groups.slice(0, 4).find((each) => each !== undefined);
      const [decimal, itself] = groups.slice(4);
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return decimal === undefined ? (itself ?? " ") : String.fromCharCode(Number(decimal));
    });
    if (plain !== text) yield* variantsOf(plain, depth - 1);
    // UTF-16, as Windows PowerShell writes files.
    if (text.includes("\0")) yield* variantsOf(text.replaceAll("\0", ""), depth - 1);
    for (const [run] of plain === text ? text.matchAll(BASE64) : []) {
      // With other text directly before it, any of four characters can be the first of its four.
      for (const first of [0, 1, 2, 3]) {
        yield* variantsOf(Buffer.from(run.slice(first), "base64").toString("latin1"), depth - 1);
      }
    }
  }
  yield text;
}

function addKeys(text: string, found: Map<string, Found>): void {
  for (const { 0: random, index } of text.matchAll(RANDOM)) {
    const known = getOrCreate(found, random, () => ({ secrets: new Map(), service: undefined }));
    const [before = ""] = text
      .slice(Math.max(0, index - MAX_WORDS), index)
      .split(/[^\w-]/)
      .slice(-1);
    const words = before.split(/(?<=[-_])/).slice(-WORDS);
    // With all words before the random characters, with fewer, and with none.
    for (let first = 0; first <= words.length; first++) {
      const secret = words.slice(first).join("") + random;
      const digest = keyDigest(secret);
      if (digest === undefined) continue;
      known.secrets.set(digest, secret);
      if (SERVICES.test(secret)) known.service ??= digest;
    }
  }
}
