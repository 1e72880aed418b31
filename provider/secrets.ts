const REDACTED = "[secret]";

/** Shorter texts are not secrets. Replacing them would remove ordinary words. */
const MIN_SECRET = 8;

/**
 * Letters and digits without a separator, more than the digest of a commit has, or escaped as in HTML, JSON or a URL. A
 * key of the service has 64 in a row, and in base64 and hex more. Names, ids, UUIDs, URNs, paths and times have separators.
 */
const ROW = rowPattern(41);

/** The same in a name or an id: only what is as long as a key of the service, because the service allows long ones. */
const KEY = rowPattern(64);

function rowPattern(least: number): RegExp {
  const units = ["[A-Za-z0-9&#;]", "(?:\\\\u00[3-7][\\da-f])", "(?:%[3-7][\\da-f])"];
  return new RegExp(units.map((unit) => `${unit}{${least}}${unit}*`).join("|"), "gi");
}

/** A secret that needs no search, because the mask leaves only the words before `_` or `-` of it, such as `napi_`. */
const IS_MASKED = /^(?:[A-Za-z0-9]{1,16}[_-]){0,4}\[secret\]$/;

/** The other secrets of this process: short credentials, and those with other characters. Most processes have none. */
const others = new Set<string>();

/** Their forms in lower case, longest first, because one can begin with another. */
const forms: string[] = [];

/** Keeps a secret out of every later message, and out of every later text of the service. */
export function conceal(secret: string): void {
  if (secret.length < MIN_SECRET || others.has(secret) || IS_MASKED.test(masked(secret, KEY))) return;
  others.add(secret);
  forms.push(...formsOf(secret).map((form) => form.toLowerCase()));
  forms.sort((a, b) => b.length - a.length);
}

/** Replaces everything that looks like a key of the service, and every other secret in each of its forms. */
export const redact = (text: string): string => masked(withoutOthers(text), ROW);

/** The same for a name of the service, by which something is found again. */
export const redactName = (name: string): string => masked(withoutOthers(name), KEY);

export const holdsSecret = (text: string): boolean => redact(text) !== text;

/** Whether a name or an id holds a secret. */
export const holdsKey = (name: string): boolean => redactName(name) !== name;

function withoutOthers(text: string): string {
  const lower = text.toLowerCase();
  const found = forms.filter((form) => lower.includes(form));
  return found.reduce((left, form) => left.replace(inAnyCase(form), REDACTED), text);
}

/** What has no digit is a word. */
const masked = (text: string, long: RegExp): string =>
  text.replace(long, (found) => (/\d/.test(found) ? REDACTED : found));

/** The forms that a secret can have in a text: as it is, escaped or encoded. */
function formsOf(secret: string): string[] {
  const [json, html] = [JSON.stringify(secret).slice(1, -1), secret.replace(/[&<>"']/g, (each) => HTML[each] ?? each)];
  const bytes = Buffer.from(secret);
  const url = encodeURIComponent(bytes.toString());
  const texts = [secret, json, JSON.stringify(json).slice(1, -1), html, url, encodeURIComponent(url)];
  // In base64, the text before a secret, such as a user's name, determines at which of three offsets it begins.
  const codes = [0, 1, 2].flatMap((before) => {
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)];
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    return [whole.toString("base64").slice(from, to), whole.toString("base64url").slice(from, to)];
  });
  return [...texts, ...codes, bytes.toString("hex")];
}

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const inAnyCase = (text: string) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "gi");

/** Whether a text can be a key: only visible ASCII characters, without spaces, because it is sent in a header. */
export function isKeyText(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}
