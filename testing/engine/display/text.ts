// Sanitizes, measures, cuts and colors text for a screen.

/** Colors by meaning. */
export type Tone = "add" | "change" | "remove" | "replace" | "quiet" | "strong" | "warning" | "error";

/** Applies a tone to a text. Returns the text unchanged if colors are disabled. */
export type Paint = (tone: Tone, text: string) => string;

const CODES: Readonly<Record<Tone, string>> = {
  add: "32",
  change: "33",
  remove: "31",
  replace: "35",
  quiet: "2",
  strong: "1",
  warning: "33",
  error: "31",
};

const ESCAPE = "\u001b";
// Escape sequences that a terminal executes: CSI, OSC and related ones with their text, and two-character ones.
const SEQUENCES = new RegExp(
  `${ESCAPE}\\[[0-?]*[ -/]*[@-~]|${ESCAPE}[\\]PX^_][\\s\\S]*?(?:\\u0007|${ESCAPE}\\\\|$)|${ESCAPE}.?`,
  "g",
);
// Control characters except tab and newline, and characters that change the text direction.
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const MARKUP = /<\{%.*?%\}>/g;

/** Creates a painter with terminal colors, or one that changes nothing. */
export function painter(color: boolean): Paint {
  return (tone, text) => (color && text !== "" ? `${ESCAPE}[${CODES[tone]}m${text}${ESCAPE}[0m` : text);
}

/** Removes sequences that move a terminal's cursor, change its colors or title, or hide text. */
export function harmless(message: string): string {
  return message
    .replace(MARKUP, "")
    .replace(SEQUENCES, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROLS, (control) => (control === "\n" || control === "\t" ? control : ""))
    .replace(/\t/g, "    ");
}

/** Puts a message on one line. */
export function oneLine(message: string): string {
  return harmless(message).replace(/\s+/g, " ").trim();
}

/** Returns the columns that a text takes. The text must not contain escape sequences. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Cuts a text to a width. `…` marks the cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return width > 0 ? `${kept}…` : "";
}

/** Pads a text with spaces to a width. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

function columnsOf(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff00-\uff60]/u.test(
    character,
  )
    ? 2
    : 1;
}
