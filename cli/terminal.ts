import { styleText } from "node:util";
import { cleanText } from "../provider/http";

/** What a colour says. */
export type Tone = "good" | "warn" | "bad" | "faint" | "strong";

const FORMATS = { good: "green", warn: "yellow", bad: "red", faint: "dim", strong: "bold" } as const;

/** The text in a colour, where the stream is a terminal; NO_COLOR and FORCE_COLOR are honoured. */
export function paint(tone: Tone | undefined, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return tone === undefined || text === "" ? text : styleText(FORMATS[tone], text, { stream });
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

/** Text of the service or of a file on one line, harmless to a terminal. */
export const plain = (text: string): string => cleanText(text, 300);

/** Prints a line of the command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the result for machines: one JSON document. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints what a person should know beside the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
