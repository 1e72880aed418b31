import { shortDigest } from "./base32";
import { redact } from "./secrets";

// Characters that disguise text or disturb a terminal, as parts of a character class. Each pattern extends the one before.

/** Control characters (C0, DEL, C1), lone surrogates, line separators, and characters that change the text direction. */
const DISTURBING = "\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";

/** Also all other invisible characters, including unassigned ones that terminals hide. */
const INVISIBLE = `${DISTURBING}\\p{Cf}\\u2065\\u{e0000}-\\u{e007f}`;

/** In text of the service that is stored. Joiners stay, because a key is found again by its stored name. */
export const UNSTORABLE: RegExp = new RegExp(`[${DISTURBING}]+`, "gu");

/** In text of others that is only shown. */
export const UNPRINTABLE: RegExp = new RegExp(`[${INVISIBLE}]+`, "gu");

/** In a name that a user chooses: also private and unassigned characters, which look different everywhere. */
export const NOT_IN_NAMES: RegExp = new RegExp(`[${INVISIBLE}\\p{Co}\\p{Cn}]`, "u");

/** Maximum length of the service's text in a message, in characters. */
const MAX_WORDS = 200;

/** Maximum length of a name in a message, in characters. */
const MAX_NAME = 100;

/** Maximum length of a message, in characters. A message can list many ids. */
const MAX_MESSAGE = 4_000;

// Terminal control sequences, with ESC or as one C1 character: CSI sequences, strings such as OSC up to their end, and
// two-character sequences.
const SEQUENCES = new RegExp(
  [
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    "(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0090\\u0098\\u009b-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)",
    "\\u001b[ -/]*[0-~]",
  ].join("|"),
  "g",
);

/** The text on one line, without characters that control a terminal, change the text direction or hide text. */
export function printable(text: string): string {
  return text.replace(SEQUENCES, "").replace(UNPRINTABLE, " ");
}

/** Sanitizes external text for a terminal and a log: one printable line of at most 200 characters. */
export function cleanText(text: string, max = MAX_WORDS): string {
  // Cut first, with a margin, to avoid processing megabytes of text.
  const clean = printable(text.slice(0, max * 4)).trim();
  const chars = Array.from(clean);
  return chars.length > max ? `${chars.slice(0, max - 1).join("")}…` : clean;
}

/**
 * A name that the service or a state chose, for a message. Secrets are replaced before the name is cut, because the
 * part of a secret would not be recognized.
 */
export function shownName(name = "no recorded name"): string {
  return cleanText(redact(name), MAX_NAME);
}

/**
 * Whether the name of an account can be a secret in the wrong place. A harmless one consists of up to four words or
 * short parts, such as `eu-west-1`.
 */
export function looksSecret(name: string): boolean {
  const parts = name.replace(/^-/, "").split("-");
  return parts.length > 4 || !parts.every((part) => /^(?:[a-z]{0,14}|[A-Z]{0,14}|[a-z0-9]{0,6})$/.test(part));
}

/**
 * An account in a message: its name, or a text that stands for it if the name can be a secret in the wrong place.
 * @param position - Its position in the setting, if it is known. @default a digest of the name
 */
export function shownAccount(name: string, position?: number): string {
  if (!looksSecret(name)) return name;
  return `[account ${position ?? shortDigest(name)}]`;
}

/** Name of the setting with an account's base URL or key, for messages. */
export function accountSetting(member: "baseUrl" | "apiKey", account: string | undefined): string {
  return account === undefined ? `keyplane:${member}` : `keyplane:accounts.${shownAccount(account)}.${member}`;
}

/** A number of things, such as `1 key` or `12 keys`. */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

/** Makes a message safe to show: on one line, printable, of limited length, without secrets. */
export function toMessage(text: string): string {
  return shortened(printable(redact(text)), MAX_MESSAGE);
}

/** Shortens text to a width. `…` replaces its middle. */
export function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  const chars = Array.from(text);
  if (chars.length <= width) return text;
  if (width <= 1) return "…".slice(0, width);
  const tail = Math.floor((width - 1) / 2);
  return `${chars.slice(0, width - 1 - tail).join("")}…${chars.slice(chars.length - tail).join("")}`;
}

/** JSON text with its unprintable characters escaped. Its value stays the same. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (found) => {
    return found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  });
}

/** The text without a character at its end. A pattern for this would take quadratic time for some texts. */
export function withoutTrailing(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end--;
  return text.slice(0, end);
}
