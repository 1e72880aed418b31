import { UNPRINTABLE } from "../unprintable";

/** Maximum length of the service's text in a message, in characters. */
const MAX_WORDS = 200;

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

/** JSON text with its unprintable characters escaped. Its value stays the same. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (found) => {
    return found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  });
}
