// A terminal's screen, with the features that the engine's display uses.
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals use control characters
const TOKENS = /\u001b\[(\d*)([AJm])|(\n)|([^\u001b\n]+)/g;

/** Converts terminal output to lines of colored text. */
export class Screen {
  #lines = [[]];
  #row = 0;
  #code = "0";

  /** Processes output of a program. */
  write(text) {
    for (const [, number, command, newline, plain] of text.matchAll(TOKENS)) {
      if (command === "A") this.#row = Math.max(0, this.#row - Number(number || 1));
      else if (command === "J") this.#lines = [...this.#lines.slice(0, this.#row), []];
      else if (command === "m") this.#code = number || "0";
      else if (newline) this.#newLine();
      else this.#lines[this.#row] = [...this.#lines[this.#row], { text: plain, code: this.#code }];
    }
  }

  /** The current lines. Each is a list of spans of one color. */
  get lines() {
    return this.#lines.map((spans) => [...spans]);
  }

  toString() {
    return this.#lines.map((spans) => spans.map(({ text }) => text).join("")).join("\n");
  }

  #newLine() {
    this.#row += 1;
    if (this.#lines.length === this.#row) this.#lines.push([]);
  }
}
