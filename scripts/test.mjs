// `npm test`: lint and format, types, and all kinds of tests, in a few minutes. `--long` (`npm run test:all`) runs the
// longer tests instead, whose files end in `.long.test.ts`. Both end with a table of what ran, and the line `N passed,
// N failed`. Lint, types and the check of a release count as one test each. Other arguments are passed to vitest.
// The first imports must be Node's own modules, because a fresh clone has no installed packages.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { durations } from "./lib/durations.mjs";
import { tally } from "./lib/tally.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { long, others } = split(process.argv.slice(2));

const checks = [];
const began = performance.now();
if (!check("install and build", "scripts/bootstrap.mjs", [])) {
  process.stdout.write("0 passed, 1 failed\n");
  process.exit(1);
}
// The installation does not count as a test.
const [installed] = checks.splice(0);

const folder = mkdtempSync(join(tmpdir(), "keyplane-test-"));
const report = join(folder, "vitest.json");
if (!long) {
  check("lint and format", "node_modules/@biomejs/biome/bin/biome", ["check", "."]);
  check("types", "node_modules/typescript/bin/tsc", ["-p", "tsconfig.test.json"]);
  check("what a release has", "scripts/release-check.mjs", ["--offline"]);
}
const tested = run("node_modules/vitest/vitest.mjs", [
  "run",
  ...(long ? [".long.test."] : ["--exclude", "**/*.long.test.*"]),
  "--reporter=./scripts/lib/progress-reporter.mjs",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...others,
]);

const results = readReport();
const passes = checks.map(({ passed }) => passed);
const { passed, failed, skipped } = tally(passes, tested, results);
rmSync(folder, { recursive: true, force: true });
await printTable(results);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed > 0 ? 1 : 0;

function split(args) {
  return { long: args.includes("--long"), others: args.filter((arg) => arg !== "--long") };
}

/** Runs a check, and records its result and duration. */
function check(name, tool, args) {
  process.stdout.write(`${name} ...\n`);
  const start = performance.now();
  const passed = run(tool, args);
  checks.push({ name, passed, ms: performance.now() - start });
  return passed;
}

/** Runs one tool and returns whether it succeeded. */
function run(tool, args) {
  const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"] };
  return spawnSync(process.execPath, [join(root, tool), ...args], options).status === 0;
}

/** Returns vitest's report, or `undefined` if vitest did not write one. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return undefined;
  }
}

/** Prints what ran and how long it took. Files run concurrently, so the sum of their times exceeds the total time. */
async function printTable(results) {
  const { table } = await import("../dist/cli/table.js");
  const { print } = await import("../dist/cli/terminal.js");
  const rows = [
    { name: installed.name, ms: installed.ms },
    ...checks.map(({ name, passed, ms }) => ({ name, passed: Number(passed), failed: Number(!passed), ms })),
    ...durations(results),
    { name: "all together", ms: performance.now() - began },
  ];
  const columns = [
    { title: "what ran", text: ({ name }) => name },
    { title: "files", text: ({ files = "" }) => String(files) },
    { title: "passed", text: ({ passed = "" }) => String(passed) },
    { title: "failed", text: ({ failed = "" }) => String(failed) },
    { title: "seconds", text: ({ ms }) => (ms / 1000).toFixed(1) },
  ];
  print("");
  for (const line of table(rows, columns, 100)) print(...line);
  print("");
}
