import { performance } from "node:perf_hooks";
import { DefaultReporter } from "vitest/node";

/** Prints a line with the progress for each completed test file. Failures are shown in full. */
export default class ProgressReporter extends DefaultReporter {
  #started = performance.now();
  #total = 0;
  #ended = 0;

  constructor() {
    super({ summary: false });
  }

  onTestRunStart(specifications) {
    this.#total = specifications.length;
    super.onTestRunStart(specifications);
  }

  printTestModule(module) {
    this.#ended += 1;
    const tests = [...module.children.allTests()];
    const [failed, skipped] = ["failed", "skipped"].map((state) =>
      tests.filter((test) => test.result().state === state),
    );
    const counts = [
      `${tests.length - failed.length - skipped.length} passed`,
      ...(failed.length > 0 ? [`${failed.length} failed`] : []),
      ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ].join(", ");
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    const place = `${String(this.#ended).padStart(String(this.#total).length)}/${this.#total}`;
    this.log(
      `[${place} ${clock(performance.now() - this.#started)}] ${module.relativeModuleId.replace(/^test\//, "")}: ${counts} (${seconds} s)`,
    );
    for (const test of failed) this.log(`    FAILED ${test.fullName}`);
    for (const test of skipped) this.log(`    skipped: ${test.fullName}`);
  }
}

/** Formats a time as minutes and seconds: `2:05`. */
function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
