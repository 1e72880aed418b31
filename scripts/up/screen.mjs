// A terminal's screen, as far as the engine's display uses one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told what to do by control characters
const TOKENS = /\u001b\[(\d*)([AJm])|(\n)|([^\u001b\n]+)/g;

/** What is written to a terminal, as lines of coloured text. */
export class Screen {
  #lines = [[]];
  #row = 0;
  #code = "0";

  /** Takes in what a program writes. */
  write(text) {
    for (const [, number, command, newline, plain] of text.matchAll(TOKENS)) {
      if (command === "A") this.#row = Math.max(0, this.#row - Number(number || 1));
      else if (command === "J") this.#lines = [...this.#lines.slice(0, this.#row), []];
      else if (command === "m") this.#code = number || "0";
      else if (newline) this.#newLine();
      else this.#lines[this.#row] = [...this.#lines[this.#row], { text: plain, code: this.#code }];
    }
  }

  /** The lines as they stand now; each is a list of spans of one colour. */
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
