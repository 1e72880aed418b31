import { stripVTControlCharacters, styleText } from "node:util";
import { table } from "./table.mjs";

/** Prints what happens, with colors in a terminal, and keeps all output for the search at the end. */
export class Narrator {
  #stream;
  #columns;
  #said = "";
  #steps = 0;

  /** @param columns - Returns the number of columns of the terminal. No limit without a terminal. */
  constructor(stream, columns) {
    this.#stream = stream;
    this.#columns = columns;
  }

  /** Everything that was printed, by kind. */
  get texts() {
    return { "the demo's own output": this.#said };
  }

  headline(text) {
    this.#line(this.#style("bold", text));
  }

  facts(facts) {
    const width = Math.max(...Object.keys(facts).map((name) => name.length));
    for (const [name, value] of Object.entries(facts))
      this.#line(`  ${this.#style("dim", name.padEnd(width))}  ${value}`);
  }

  /** Starts a step. */
  step(title, story) {
    this.#steps += 1;
    this.#line("");
    this.#line(this.#style("bold", `${this.#steps}. ${title}`));
    this.#line(`   ${story}`);
  }

  /** Prints what a command is about to do. */
  command(text) {
    this.#line(`   ${this.#style("cyan", text)}`);
  }

  /** Prints a line of an engine's output. */
  engine(line) {
    for (const part of this.#wrap(line, 5)) this.#line(`   ${this.#style("dim", "|")} ${part}`);
  }

  /** Prints a command's entries in the control plane's log. */
  log(lines) {
    if (lines.length > 0) this.#line(`   ${this.#style("dim", "log of the control plane:")}`);
    for (const line of lines) this.#line(`     ${line}`);
  }

  /** Prints a value. */
  show(name, value) {
    this.#line(`   ${this.#style("dim", `${name}:`)} ${value}`);
  }

  /** Prints the result of a check. */
  check({ told, ok, saw }) {
    const mark = ok ? this.#style("green", "✓") : this.#style("red", "✗ FAILED:");
    this.#line(`   ${mark} ${told}${ok ? "" : `. Actual: ${saw}`}`);
  }

  /** Prints the table and the last lines. */
  close(report) {
    const methods = ["POST", "GET", "DELETE"];
    const rows = report.steps.map(({ title, seconds, requests, liveKeys }, index) => [
      `${index + 1}. ${title}`,
      seconds.toFixed(1),
      ...methods.map((method) => String(requests[method] ?? 0)),
      String(liveKeys),
    ]);
    this.#line("");
    for (const line of table(["step", "seconds", ...methods, "live keys"], rows)) this.#line(line);
    this.#line("");
    for (const { place, form } of report.findings)
      this.#line(this.#style("red", `secret in plain text (${form}): ${place}`));
    const verdict = report.asTold ? "All checks passed." : "Some checks failed.";
    this.#line(this.#style(report.asTold ? "green" : "red", verdict));
    this.#line(`plaintext secrets found: ${report.plaintextSecretsFound} (searched: all files of the run, all output)`);
    this.#line(`live keys left behind: ${report.leftBehind}`);
  }

  /** Wraps a long line to the terminal's width after an indent. In a pipe, lines are not wrapped. */
  #wrap(line, indent) {
    const width = Math.max(40, this.#columns() - indent);
    const parts = [];
    let rest = line;
    while (rest.length > width) {
      const space = rest.lastIndexOf(" ", width);
      const end = space > width / 2 ? space : width;
      parts.push(rest.slice(0, end).trimEnd());
      rest = `    ${rest.slice(end).trimStart()}`;
    }
    return [...parts, rest];
  }

  #style(format, text) {
    return styleText(format, text, { stream: this.#stream });
  }

  #line(text) {
    this.#said += `${stripVTControlCharacters(text)}\n`;
    this.#stream.write(`${text}\n`);
  }
}
