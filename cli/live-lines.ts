import { terminalColumns } from "../provider/terminal-columns";
import { shortened } from "../provider/text";
import { harmless } from "./terminal";

const UP_AND_CLEAR = "\u001b[1A\u001b[2K";

/** Lines on stderr that are overwritten to show progress. Does nothing if stderr is not a terminal. */
export class LiveLines {
  #shown = 0;

  constructor(private readonly stream: NodeJS.WriteStream = process.stderr) {}

  /** Replaces the last lines with these lines. */
  show(lines: readonly string[]): void {
    if (!this.stream.isTTY || (lines.length === 0 && this.#shown === 0)) return;
    const width = terminalColumns(this.stream) - 1;
    const text = lines.map((line) => `${shortened(harmless(line), width)}\n`).join("");
    this.stream.write(`\r${UP_AND_CLEAR.repeat(this.#shown)}${text}`);
    this.#shown = lines.length;
  }

  /** Removes the lines. */
  clear(): void {
    this.show([]);
  }
}
