import { redact, redactShort } from "./secrets";
import { UNPRINTABLE } from "./unprintable";

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
  return cleanText(redactShort(name), MAX_NAME);
}

/** Makes a message safe to show: on one line, printable, of limited length, without secrets. */
export function toMessage(text: string): string {
  return shortened(printable(redact(text)), MAX_MESSAGE);
}

/** Shortens text to a width. `…` replaces its middle. */
export function shortened(text: string, width: number): string {
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
