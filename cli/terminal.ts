import { styleText } from "node:util";
import { isKeyplaneError, messageOf } from "../provider/errors";
import { cleanText, printable, printableJson } from "../provider/http";
import { conceal, redact } from "../provider/secrets";
import { credentialsIn } from "../provider/settings/settings";

/** What a colour says. */
export type Tone = "good" | "warn" | "bad" | "faint" | "strong";

/** A piece of a line: text, or text in a colour. */
export type Part = string | { readonly tone: Tone; readonly text: string };

const FORMATS = { good: "green", warn: "yellow", bad: "red", faint: "dim", strong: "bold" } as const;

/** Longest text from outside in a line, in characters. */
const MAX_TEXT = 300;
/** Longest piece of a line, in characters: a sentence with several such texts. */
const MAX_PART = 4_000;

/** The text in a colour, where it is shown in a terminal; NO_COLOR and FORCE_COLOR are honoured. */
export function paint(tone: Tone | undefined, text: string): Part {
  return tone === undefined || text === "" ? text : { tone, text };
}

/** The text, at most so long; what is taken out of its middle is shown by `…`. */
export function shortened(text: string, width: number): string {
  const chars = Array.from(text);
  if (chars.length <= width) return text;
  if (width <= 1) return "…".slice(0, width);
  const tail = Math.floor((width - 1) / 2);
  return `${chars.slice(0, width - 1 - tail).join("")}…${chars.slice(chars.length - tail).join("")}`;
}

/** The text in lines of whole words that fit a width; a word longer than that keeps its line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Text of the service or of a file on one line, harmless to a terminal and no longer than a line should be. */
export const plain = (text: string): string => cleanText(withoutSecrets(text), MAX_TEXT);

/** Prints a line of the command's result. */
export function print(...parts: readonly Part[]): void {
  write(process.stdout, parts);
}

/** Prints the result for machines: one JSON document, in which unprintable characters are escaped. */
export function printJson(value: unknown): void {
  process.stdout.write(`${printableJson(withoutSecrets(JSON.stringify(value, null, 2)))}\n`);
}

/** Prints what a person should know beside the result. */
export function note(line: string): void {
  write(process.stderr, [line]);
}

/** Prints an error, with its code, which `keyplane explain` knows. */
export function noteError(error: unknown): void {
  note(`keyplane: ${messageOf(error)}${isKeyplaneError(error) ? ` [${error.code}]` : ""}`);
}

/** Every line goes through here: wherever its texts come from, nothing in them reaches a terminal as a command. */
function write(stream: NodeJS.WriteStream, parts: readonly Part[]): void {
  const line = parts.map((part) => {
    if (typeof part === "string") return harmless(part);
    return styleText(FORMATS[part.tone], harmless(part.text), { stream });
  });
  stream.write(`${line.join("").trimEnd()}\n`);
}

/** Text as a terminal may get it: printable, of limited length, without a configured credential. */
export function harmless(text: string): string {
  return shortened(printable(withoutSecrets(text).slice(0, 2 * MAX_PART)), MAX_PART);
}

function withoutSecrets(text: string): string {
  for (const credential of credentialsIn(() => undefined).values()) conceal(credential);
  return redact(text);
}
