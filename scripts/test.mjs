// Everything that must hold, in one command: lint and format, types, every kind of test. The last line says
// `N passed, N failed`; lint and types count as one each. Arguments are passed on to vitest. Nothing but Node's own
// modules may be imported here: in a fresh clone nothing is installed yet.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tally } from "./lib/tally.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!run("dependencies and build", "scripts/bootstrap.mjs", [])) {
  process.stdout.write("0 passed, 1 failed\n");
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "keyplane-test-"));
const report = join(folder, "vitest.json");
// Most tests start processes of their own: more workers than half the cores only make them wait for each other.
const workers = Math.max(2, Math.floor(availableParallelism() / 2));

const lint = run("lint and format", "node_modules/@biomejs/biome/bin/biome", ["check", "."]);
const types = run("types", "node_modules/typescript/bin/tsc", ["-p", "tsconfig.test.json"]);
const tests = run("tests", "node_modules/vitest/vitest.mjs", [
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  `--maxWorkers=${workers}`,
  ...process.argv.slice(2),
]);

const { passed, failed, skipped } = tally([lint, types], tests, readReport());
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs one tool and answers whether it was content. */
function run(what, tool, args) {
  process.stdout.write(`\n--- ${what}\n`);
  return (
    spawnSync(process.execPath, [join(root, tool), ...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] })
      .status === 0
  );
}

/** What vitest wrote; `undefined` when it did not get as far as that. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return undefined;
  }
}
