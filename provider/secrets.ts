/** Replaces a secret in text. */
const REDACTED = "[secret]";

/** Maximum length of a text of the service, and of a form of a secret in it, in characters. */
const MAX_TEXT = 20_000;
const MAX_FORM = 4_000;

/** Shorter texts are not secrets of this service. Replacing them would remove ordinary words. */
const MIN_LENGTH = 8;

// A sequence this long without a hyphen is not an id, name or word of the service, but may be an unknown key.
const KEY_LIKE = /[A-Za-z0-9_]{32,}/g;

// A character as JSON, HTML or a URL escapes it, including nested escapes, or invisible characters.
const DISGUISED =
  /\\+u([0-9a-f]{4})|\\+x([0-9a-f]{2})|&(?:amp;)*#x([0-9a-f]{1,6});?|&(?:amp;)*#(\d{1,7});?|&(?:amp;)*(quot|apos|lt|gt|amp);|%(?:25)*([0-9a-f]{2})|\\+(["'\\/])|([\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Mn}\u115f\u1160\u3164\uffa0]+)/iuy;

const NAMED: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };

/** The secrets that this process knows: credentials, and keys that it was given or has created. */
const secrets = new Set<string>();

/** Secrets whose forms are not computed yet, because most runs have many keys and read few texts. */
const waiting: string[] = [];

/** Length of the shortest form. Shorter texts, such as nearly all fields of a list, contain no secret. */
let shortest = Number.POSITIVE_INFINITY;

/** All forms of all secrets, by their last characters. */
const formsByEnd = new Map<string, string[]>();

/** Marks the ends of forms, so that nearly all positions in nearly all texts need no further check. */
const ends = new Uint8Array(1 << 18);

/** A limited number of short texts without a secret, because lists repeat most of their texts. */
const harmless = new Set<string>();
const MAX_HARMLESS = 1_000;
const MAX_LENGTH = 100;

/** Keeps a secret out of every later message, and out of every later text of the service. */
export function conceal(secret: string): void {
  if (secret.length < MIN_LENGTH || secrets.has(secret)) return;
  secrets.add(secret);
  waiting.push(secret);
}

/** Adds a secret's forms to the search. */
function lookFor(secret: string): void {
  harmless.clear();
  for (const form of formsOf(secret)) {
    shortest = Math.min(shortest, form.length);
    const end = form.slice(-MIN_LENGTH);
    const others = formsByEnd.get(end);
    if (others === undefined) formsByEnd.set(end, [form]);
    else others.push(form);
    ends[slotOf(hashOf(end))] = 1;
  }
}

/**
 * Replaces every secret in the text: as it is, in any case, within base64 or hex, escaped as in JSON, HTML or a URL,
 * and with spaces or invisible characters in between.
 */
export function redact(text: string): string {
  for (const secret of waiting) lookFor(secret);
  waiting.length = 0;
  if (text.length < shortest || harmless.has(text)) return text;
  const clean = mayHold(text) ? redacted(text) : text;
  if (clean === text && text.length < MAX_LENGTH && harmless.size < MAX_HARMLESS) harmless.add(text);
  return clean;
}

function redacted(text: string): string {
  const { text: meant, starts, stops } = undisguised(text);
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of placesIn(meant)) {
    parts.push(text.slice(done, starts[from]), REDACTED);
    done = stops[to - 1] ?? text.length;
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
    if (isDisguise(code)) return true;
    hash = next(hash, code);
    if (ends[slotOf(hash)] === 1 && formsByEnd.has(text.slice(at + 1 - MIN_LENGTH, at + 1).toLowerCase())) return true;
  }
  return false;
}

/** Whether a character can separate the characters of a secret, or begin an escaped one. */
const isDisguise = (code: number): boolean =>
  code <= 0x20 || code >= 0x7f || code === 0x25 || code === 0x26 || code === 0x5c;

/** The positions of secrets in a text: start and end, in order, without overlaps. */
function placesIn(text: string): [number, number][] {
  const places: [number, number][] = [];
  const lower = lowerCase(text);
  let hash = 0;
  for (let end = 1; end <= text.length; end++) {
    hash = next(hash, lower.charCodeAt(end - 1));
    if (ends[slotOf(hash)] === 0) continue;
    const forms = formsByEnd.get(lower.slice(Math.max(0, end - MIN_LENGTH), end)) ?? [];
    const longest = Math.max(0, ...forms.filter((form) => lower.endsWith(form, end)).map(({ length }) => length));
    if (longest === 0) continue;
    let from = end - longest;
    for (let last = places.at(-1); last !== undefined && from < last[1]; last = places.at(-1)) {
      from = Math.min(from, last[0]);
      places.pop();
    }
    places.push([from, end]);
  }
  return places;
}

/** A rolling hash of the last eight characters, in any case, from the previous hash and the next character. */
const next = (hash: number, code: number): number => (hash << 4) ^ (code | 0x20);

const slotOf = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> 14;

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = next(hash, text.charCodeAt(at));
  return hash;
}

/** The text in lower case, of the same length. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

interface Undisguised {
  readonly text: string;
  /** Where each of its characters begins in the original. */
  readonly starts: readonly number[];
  /** Where each of its characters ends in the original. */
  readonly stops: readonly number[];
}

/** The text with its escaped characters decoded and invisible characters removed. */
function undisguised(text: string): Undisguised {
  let meant = "";
  const starts: number[] = [];
  const stops: number[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    let char = text.charAt(at++);
    if (isDisguise(char.charCodeAt(0))) {
      DISGUISED.lastIndex = start;
      const match = DISGUISED.exec(text);
      if (match !== null) {
        char = meaning(match.slice(1));
        at = DISGUISED.lastIndex;
      }
    }
    if (char === "") continue;
    meant += char;
    starts.push(start);
    stops.push(at);
  }
  return { text: meant, starts, stops };
}

/** The character that a match of `DISGUISED` represents. */
function meaning([json, byte, hex, decimal, name, percent, escaped]: readonly (string | undefined)[]): string {
  const digits = json ?? byte ?? hex ?? percent;
  if (digits !== undefined) return character(Number.parseInt(digits, 16));
  if (decimal !== undefined) return character(Number(decimal));
  return escaped ?? NAMED[name?.toLowerCase() ?? ""] ?? "";
}

const character = (code: number): string => (code > 0x20 && code < 0x7f ? String.fromCharCode(code) : "");

/** The forms that a secret can have in a text, in lower case. */
function formsOf(secret: string): string[] {
  const forms = [secret, Buffer.from(secret).toString("hex")];
  if (Array.from(secret).some((char) => isDisguise(char.charCodeAt(0)))) forms.push(undisguised(secret).text);
  // In base64, the text before a secret, such as a user's name, determines at which of three offsets it begins.
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.from(" ".repeat(before) + secret);
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    const own = bytes.toString("base64").slice(from, to);
    forms.push(own);
    if (/[+/]/.test(own)) forms.push(own.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms.map(lowerCase).filter(({ length }) => length >= MIN_LENGTH);
}

/** Whether a text can be a key: only visible ASCII characters, without spaces, because it is sent in a header. */
export function isKeyText(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}
