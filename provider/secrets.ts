import { hash as cryptoHash } from "node:crypto";
import { getOrCreate } from "./get-or-create";

const REDACTED = "[secret]";

/** Maximum length of a text of the service, and of a form of a secret in it, in characters. */
const MAX_TEXT = 20_000;
const MAX_FORM = 4_000;

/** Shorter texts are not secrets of this service. Replacing them would remove ordinary words. */
const MIN_SECRET = 8;

/** Number of characters that the rolling hash covers. A form is not shorter. */
const WINDOW = 8;

// A sequence this long without a hyphen is not an id, name or word of the service, but may be an unknown key.
const KEY_LIKE = /[A-Za-z0-9_]{32,}/g;

// A letter, a digit or anything else, as JSON, HTML or a URL escapes it, including nested escapes.
const ESCAPED =
  /\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|["'/])?|&(?:amp;)*(?:#x([0-9a-f]{1,6});?|#(\d{1,7});?|[a-z]{2,31};)?|%(?:25)*([0-9a-f]{2})?/iy;

/** The secrets that this process knows: credentials, and keys that it was given or has created. */
const secrets = new Set<string>();

/** Secrets whose forms are not computed yet, because most runs have many keys and read few texts. */
const waiting: string[] = [];

/** Length of the shortest form. Shorter texts, such as nearly all fields of a list, contain no secret. */
let shortest = Number.POSITIVE_INFINITY;

/**
 * The hash of the letters and digits of a secret, in lower case: every encoding of the rest is left out of a comparison.
 * So the search does not need the secret itself.
 */
interface Form {
  readonly length: number;
  /** A sum that is quickly compared with any part of a text, so that only a text with the secret is hashed. */
  readonly sum: number;
  readonly hash: string;
  /** The number of other characters before and after them. */
  readonly before: number;
  readonly after: number;
}

/** All forms of all secrets, by their last characters. */
const formsByEnd = new Map<string, Form[]>();

/** Secrets with too few letters and digits for a form. Their texts are kept, also if nothing else needs them any more. */
const unusual: string[] = [];

/** The size of the filter below: 256 KB, so that 2 600 forms mark one slot in a hundred. */
const SLOT_BITS = 18;

/** Marks the ends of forms, so that nearly all positions in nearly all texts need no further check. */
const ends = new Uint8Array(1 << SLOT_BITS);

/** A limited number of short texts without a secret, because lists repeat most of their texts. */
const harmless = new Set<string>();
const MAX_HARMLESS = 1_000;
const MAX_LENGTH = 100;

/** Keeps a secret out of every later message, and out of every later text of the service. */
export function conceal(secret: string): void {
  if (secret.length < MIN_SECRET || secrets.has(secret)) return;
  secrets.add(secret);
  waiting.push(secret);
}

/** Drops the text of a secret that nothing needs any more, unless it is unusual. Later messages are searched for it, too. */
export function forget(secret: string): void {
  conceal(secret);
  lookForAll();
  secrets.delete(secret);
}

/** Adds the forms of secrets to the search that are not in it yet. */
function lookForAll(): void {
  for (const secret of waiting) lookFor(secret);
  waiting.length = 0;
}

function lookFor(secret: string): void {
  harmless.clear();
  const forms = formsOf(secret);
  const isLong = ({ plain }: Units) => plain.length >= WINDOW;
  if (!forms.every(isLong)) {
    unusual.push(secret);
    shortest = Math.min(shortest, secret.length);
  }
  for (const units of forms.filter(isLong)) {
    shortest = Math.min(shortest, units.plain.length);
    const end = units.plain.slice(-WINDOW);
    getOrCreate(formsByEnd, end, () => []).push(formOf(units));
    ends[slotOf(hashOf(end))] = 1;
  }
}

/**
 * Replaces every secret in the text: as it is, in any case, within base64 or hex, escaped as in JSON, HTML or a URL,
 * and with anything but letters and digits in between.
 */
export function redact(text: string): string {
  lookForAll();
  if (text.length < shortest || harmless.has(text)) return text;
  const rest = unusual.reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
  const clean = mayHold(rest) ? redacted(rest) : rest;
  if (clean === text && text.length < MAX_LENGTH && harmless.size < MAX_HARMLESS) harmless.add(text);
  return clean;
}

export const holdsSecret = (text: string): boolean => redact(text) !== text;

function redacted(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of placesIn(unitsOf(text))) {
    parts.push(text.slice(done, from), REDACTED);
    done = to;
  }
  return parts.join("") + text.slice(done);
}

/**
 * The same for a text of the service, which can have any length. Returns the beginning of a very long text, without its
 * last part, where a secret could be truncated.
 */
export function redactShort(text: string): string {
  return text.length <= MAX_TEXT ? redact(text) : redact(text.slice(0, MAX_TEXT)).slice(0, -MAX_FORM);
}

/** Masks everything that looks like a key, for text of the service that may contain an unknown key. */
export function maskKeyLike(text: string): string {
  return text.replace(KEY_LIKE, REDACTED);
}

/** Whether a text can contain a secret. A list has tens of thousands of texts, and hardly any can. */
function mayHold(text: string): boolean {
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (beginsEscape(code)) return true;
    if (!isPlain(code)) continue;
    hash = next(hash, code);
    if (ends[slotOf(hash)] === 1 && formsByEnd.has(lastPlain(text, at))) return true;
  }
  return false;
}

/** The last letters and digits up to a position, in lower case. */
function lastPlain(text: string, end: number): string {
  let found = "";
  for (let at = end; at >= 0 && found.length < WINDOW; at--) {
    if (isPlain(text.charCodeAt(at))) found = text.charAt(at) + found;
  }
  return found.toLowerCase();
}

const beginsEscape = (code: number): boolean => code === 0x25 || code === 0x26 || code === 0x5c;

/** Whether a character is a letter or a digit. */
const isPlain = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a);

/** Whether a character is visible, and neither a letter nor a digit. */
const isMark = (code: number): boolean => code > 0x20 && code < 0x7f && !isPlain(code);

/** The places of secrets in a text: start and end, in order, without overlaps. */
function placesIn({ plain, plainAt, starts, stops, marks }: Units): [number, number][] {
  const places: [from: number, to: number][] = [];
  const sums = sumsOf(plain);
  let hash = 0;
  for (let end = 1; end <= plain.length; end++) {
    hash = next(hash, plain.charCodeAt(end - 1));
    if (ends[slotOf(hash)] === 0) continue;
    const forms = formsByEnd.get(plain.slice(Math.max(0, end - WINDOW), end)) ?? [];
    for (const { length, before, after } of forms.filter((form) => endsWith(plain, sums, end, form))) {
      const first = widened(plainAt[end - length] ?? 0, -1, before, marks);
      const last = widened(plainAt[end - 1] ?? 0, 1, after, marks);
      let [from, to] = [starts[first] ?? 0, stops[last] ?? 0];
      for (let place = places.at(-1); place !== undefined && from < place[1]; place = places.at(-1)) {
        [from, to] = [Math.min(from, place[0]), Math.max(to, place[1])];
        places.pop();
      }
      places.push([from, to]);
    }
  }
  return places;
}

function endsWith(plain: string, sums: Uint32Array, end: number, { length, sum, hash }: Form): boolean {
  return length <= end && sum === sumOf(sums, end - length, end) && hash === sha256(plain.slice(end - length, end));
}

/** The sums of the first characters of a text: those of none, of one, and so on up to all (Rabin-Karp). */
function sumsOf(text: string): Uint32Array {
  const sums = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at++) sums[at + 1] = Math.imul(sums[at] ?? 0, GOLDEN) + text.charCodeAt(at);
  return sums;
}

function sumOf(sums: Uint32Array, from: number, to: number): number {
  return ((sums[to] ?? 0) - Math.imul(sums[from] ?? 0, powerOf(to - from))) >>> 0;
}

const powers: number[] = [1];

function powerOf(length: number): number {
  for (let at = powers.length; at <= length; at++) powers.push(Math.imul(powers[at - 1] ?? 1, GOLDEN));
  return powers[length] ?? 1;
}

const sha256 = (text: string): string => cryptoHash("sha256", text, "base64");

/** The unit up to which a secret extends that has other characters at an end. Invisible ones between them count, too. */
function widened(unit: number, step: 1 | -1, count: number, marks: readonly (boolean | undefined)[]): number {
  let reached = unit;
  for (let at = unit + step, left = count; left > 0 && marks[at] !== undefined; at += step) {
    if (!marks[at]) continue;
    reached = at;
    left--;
  }
  return reached;
}

/**
 * A rolling hash of the last `WINDOW` characters, in any case, from the previous hash and the next character: each shift
 * by 4 bits moves the oldest one out of the 32 bits.
 */
const next = (hash: number, code: number): number => (hash << 4) ^ (code | 0x20);

/** 2^32 divided by the golden ratio, which spreads neighbouring hashes (Fibonacci hashing). */
const GOLDEN = 0x9e3779b1;

const slotOf = (hash: number): number => Math.imul(hash, GOLDEN) >>> (32 - SLOT_BITS);

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = next(hash, text.charCodeAt(at));
  return hash;
}

/** A text as its characters, of which some are escaped. */
interface Units {
  /** The letters and digits, in lower case. */
  readonly plain: string;
  /** The number of the unit of each of them. */
  readonly plainAt: readonly number[];
  /** Where each unit begins and ends in the text. */
  readonly starts: readonly number[];
  readonly stops: readonly number[];
  /** Whether a unit is visible; `undefined` for a letter or a digit. */
  readonly marks: readonly (boolean | undefined)[];
}

function unitsOf(text: string, isEscape = beginsEscape): Units {
  let plain = "";
  const [plainAt, starts, stops]: [number[], number[], number[]] = [[], [], []];
  const marks: (boolean | undefined)[] = [];
  for (let at = 0; at < text.length; ) {
    starts.push(at);
    let code = text.charCodeAt(at++);
    if (isEscape(code)) {
      ESCAPED.lastIndex = at - 1;
      const match = ESCAPED.exec(text);
      if (match !== null) {
        code = meaning(match);
        at = ESCAPED.lastIndex;
      }
    }
    if (isPlain(code)) {
      plain += String.fromCharCode(code | (code >= 0x41 ? 0x20 : 0));
      plainAt.push(stops.length);
    }
    marks.push(isPlain(code) ? undefined : isMark(code));
    stops.push(at);
  }
  return { plain, plainAt, starts, stops, marks };
}

/** The character that a match of `ESCAPED` represents. The name of a character in HTML is never that of a letter. */
function meaning([, json, byte, hex, decimal, percent]: readonly (string | undefined)[]): number {
  const digits = json ?? byte ?? hex ?? percent;
  if (digits !== undefined) return Number.parseInt(digits, 16);
  return decimal === undefined ? MARK : Number(decimal);
}

/** Any character that is neither a letter nor a digit. */
const MARK = 0x5f;

/** The forms that a secret can have in a text. */
function formsOf(secret: string): Units[] {
  const texts = [encoded(secret, "hex")];
  // In base64, the text before a secret, such as a user's name, determines at which of three offsets it begins.
  for (const before of [0, 1, 2]) {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + Buffer.byteLength(secret)) * 8) / 6)];
    texts.push(encoded(" ".repeat(before) + secret, "base64").slice(from, to));
  }
  // A part of the secret itself can look like an escaped character.
  return [...[...texts, secret].map((text) => unitsOf(text)), unitsOf(secret, () => false)];
}

/** Overwrites the bytes that it needs, because Node keeps the memory of short ones. */
function encoded(text: string, encoding: "hex" | "base64"): string {
  const bytes = Buffer.from(text);
  const result = bytes.toString(encoding);
  bytes.fill(0);
  return result;
}

function formOf({ plain, plainAt, marks }: Units): Form {
  const count = (units: readonly unknown[]) => units.filter(Boolean).length;
  return {
    length: plain.length,
    sum: sumOf(sumsOf(plain), 0, plain.length),
    hash: sha256(plain),
    before: count(marks.slice(0, plainAt[0])),
    after: count(marks.slice((plainAt.at(-1) ?? 0) + 1)),
  };
}

/** Whether a text can be a key: only visible ASCII characters, without spaces, because it is sent in a header. */
export function isKeyText(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}
