import { stripVTControlCharacters, styleText } from "node:util";
import { table } from "./table.mjs";

/** Says what happens, in colour where a person looks on, and keeps all that was said for the search at the end. */
export class Narrator {
  #stream;
  #said = "";
  #steps = 0;

  constructor(stream) {
    this.#stream = stream;
  }

  /** Everything that was printed, by what it was. */
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

  /** Opens a step. */
  step(title, story) {
    this.#steps += 1;
    this.#line("");
    this.#line(this.#style("bold", `${this.#steps}. ${title}`));
    for (const line of story.split("\n")) this.#line(`   ${line}`);
  }

  /** Passes on a line that an engine prints. */
  engine(line) {
    this.#line(`   ${this.#style("dim", "|")} ${line}`);
  }

  /** Says what a command is about to do. */
  command(text) {
    this.#line(`   ${this.#style("cyan", `$ ${text}`)}`);
  }

  /** Shows something that was looked up. */
  show(name, value) {
    this.#line(`   ${this.#style("dim", name)}  ${value}`);
  }

  /** Says whether something is as it was told. */
  check({ told, ok, saw }) {
    const mark = ok ? this.#style("green", "ok") : this.#style("red", "NOT AS TOLD");
    this.#line(`   ${mark} ${told}${ok ? "" : `, but saw: ${saw}`}`);
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
      this.#line(this.#style("red", `secret in clear (${form}): ${place}`));
    this.#line(`plaintext secrets found: ${report.plaintextSecretsFound} (searched: all files of the run, all output)`);
    this.#line(`live keys left behind: ${report.leftBehind}`);
    this.#line(
      report.asTold
        ? this.#style("green", "Everything went as told.")
        : this.#style("red", "Not everything went as told."),
    );
  }

  #style(format, text) {
    return styleText(format, text, { stream: this.#stream });
  }

  #line(text) {
    this.#said += `${stripVTControlCharacters(text)}\n`;
    this.#stream.write(`${text}\n`);
  }
}
