import { clearLine, cursorTo } from "node:readline";
import { styleText } from "node:util";
import { isKeyplaneError, messageOf } from "../provider/errors";
import { redact } from "../provider/secrets";
import { cleanText, printable, printableJson, shortened } from "../provider/text";

export type Tone = "good" | "warn" | "bad" | "faint" | "strong";

/** A piece of a line: text, or colored text. */
export type Part = string | { readonly tone: Tone; readonly text: string };

const FORMATS = { good: "green", warn: "yellow", bad: "red", faint: "dim", strong: "bold" } as const;

/** Maximum length of untrusted text in a line, in characters. */
const MAX_TEXT = 300;
/** Maximum length of a piece of a line, in characters. A piece can contain several untrusted texts. */
const MAX_PART = 4_000;

/** Colors text in a terminal. Respects NO_COLOR and FORCE_COLOR. */
export function paint(tone: Tone | undefined, text: string): Part {
  return tone === undefined || text === "" ? text : { tone, text };
}

/** Puts text of the service or a file on one line, sanitized and shortened. */
export const plain = (text: string): string => cleanText(redact(text), MAX_TEXT);

/** Prints a line of the command's result. */
export function print(...parts: readonly Part[]): void {
  write(process.stdout, parts);
}

/** Prints a line with a key that the command itself has made. */
export function printKey(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the result as one JSON document. Escapes unprintable characters. */
export function printJson(value: unknown): void {
  process.stdout.write(`${printableJson(redact(JSON.stringify(value, null, 2)))}\n`);
}

/** Prints additional information to stderr. */
export function printInfo(line: string): void {
  write(process.stderr, [line]);
}

/** Prints an error with its code, which docs/errors.md explains. */
export function printError(error: unknown): void {
  printInfo(`keyplane: ${messageOf(error)}${isKeyplaneError(error) ? ` [${error.code}]` : ""}`);
}

/** Writes a line. All output passes through here, so that no text reaches a terminal as a control sequence. */
function write(stream: NodeJS.WriteStream, parts: readonly Part[]): void {
  const line = parts.map((part) => {
    if (typeof part === "string") return harmless(part);
    return styleText(FORMATS[part.tone], harmless(part.text), { stream });
  });
  stream.write(`${line.join("").trimEnd()}\n`);
}

/** Sanitizes text for a terminal: printable, of limited length, without secrets. */
export function harmless(text: string): string {
  return shortened(printable(redact(text).slice(0, 2 * MAX_PART)), MAX_PART);
}

/** Shows a line on stderr that the next one replaces. Does nothing if stderr is not a terminal. */
export function showProgress(line: string): void {
  const { stderr } = process;
  if (!stderr.isTTY) return;
  cursorTo(stderr, 0);
  clearLine(stderr, 1);
  stderr.write(shortened(harmless(line), (stderr.columns || 80) - 1));
}

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | undefined;
}

/** Prints rows as a table, and an empty line. Cells may contain text of others. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const cells = rows.map((row) => columns.map(({ text, tone }) => ({ text: plain(text(row)), tone: tone?.(row) })));
  const lines = [columns.map(({ title }) => ({ text: title, tone: "faint" as Tone | undefined })), ...cells];
  const widths = columns.map((_, at) => lines.reduce((widest, line) => Math.max(widest, lengthOf(line[at]?.text)), 0));
  for (const line of lines) {
    print(
      ...line.flatMap(({ text, tone }, at) => [paint(tone, text), " ".repeat((widths[at] ?? 0) - lengthOf(text) + 2)]),
    );
  }
  print("");
}

const lengthOf = (text = ""): number => Array.from(text).length;
