/** Longest piece of the service's words in a message, in characters. */
const MAX_WORDS = 200;

// What a terminal obeys, with ESC or as one C1 character: CSI sequences, strings such as OSC up to their end, and
// sequences of two characters.
const SEQUENCES = new RegExp(
  [
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]",
    "(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0090\\u0098\\u009b-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)",
    "\\u001b[ -/]*[0-~]",
  ].join("|"),
  "g",
);

// Control characters (C0, DEL, C1), line separators, lone surrogates, and all that turns the direction or hides text.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2065\u{e0000}-\u{e007f}]+/gu;

/** The text on one line, without anything that moves a terminal's cursor, colours it, turns its direction or hides text. */
export function printable(text: string): string {
  return text.replace(SEQUENCES, "").replace(UNPRINTABLE, " ");
}

/** Makes text that came from outside fit for a terminal and a log: one printable line, cut at 200 characters. */
export function cleanText(text: string, max = MAX_WORDS): string {
  // Cut first, generously: replacing in a text of megabytes would be paid for nothing.
  const clean = printable(text.slice(0, max * 4)).trim();
  const chars = Array.from(clean);
  return chars.length > max ? `${chars.slice(0, max - 1).join("")}…` : clean;
}

/** JSON text whose texts are written without unprintable characters; they are escaped, so that it holds the same. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (found) => {
    return found.replace(/[^\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  });
}
