// `npm test`: lint and format, types, and all kinds of tests, in a few minutes. `--long` (`npm run test:long`) runs what
// takes longer: files that end in `.long.test.ts`, and on the real Pulumi CLI all end-to-end tests and two
// scenarios of the crash matrix, so that twelve commits in a row run the whole. Both end with a table of what ran, and the line
// `N passed, N failed`. Lint, types and the check of a release count as one test each.
// The first imports must be Node's own modules, because a fresh clone has no installed packages.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { durations } from "./lib/durations.mjs";
import { tally } from "./lib/tally.mjs";
import { environmentForTests } from "./real-cli.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const isLong = process.argv.includes("--long");

/** The steps that are not vitest's: name, duration, and whether they succeeded. */
const steps = [];
const checks = [];
const began = performance.now();
if (!check("install and build", "scripts/bootstrap.mjs", [])) {
  process.stdout.write("0 passed, 1 failed\n");
  process.exit(1);
}
// The installation does not count as a test.
steps.push(...checks.splice(0).map(({ name, ms }) => ({ name, ms })));

const runs = isLong ? runLong() : runQuick();
const sums = [
  tally(
    checks.map(({ passed }) => passed),
    true,
  ),
  ...runs.map(({ succeeded, report }) => tally([], succeeded, report)),
];
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((what) =>
  sums.reduce((sum, each) => sum + each[what], 0),
);
await printTimes(runs.flatMap(({ report }) => report?.testResults ?? []));
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed > 0 ? 1 : 0;

function runQuick() {
  check("lint and format", "node_modules/@biomejs/biome/bin/biome", ["check", "."]);
  check("types", "node_modules/typescript/bin/tsc", ["-p", "test/tsconfig.json"]);
  check("what a release has", "scripts/release-check.mjs", ["--offline"]);
  return [vitest("quick tests", ["--exclude", "**/*.long.test.*"])];
}

function runLong() {
  const start = performance.now();
  const env = environmentForTests();
  const engine = env.KEYPLANE_ENGINE === "cli" ? "the real CLI" : "the embedded engine";
  steps.push({ name: `build of ${engine}`, ms: performance.now() - start });
  const apart = ["test/e2e/**", "test/crash/**"].flatMap((files) => ["--exclude", files]);
  return [
    vitest("long tests", [".long.test.", ...apart]),
    vitest(`end-to-end tests, ${engine}`, ["--project", "e2e"], env),
    vitest(`two scenarios of the crash matrix, ${engine}`, ["--project", "crash", ".long.test."], {
      ...env,
      CRASH_SHARD: shard(),
    }),
  ];
}

/** Two of the 24 scenarios of the crash matrix, other ones for each commit. */
function shard() {
  const { stdout } = spawnSync("git", ["rev-list", "--count", "HEAD"], { cwd: root, encoding: "utf8" });
  return `${(Number(stdout) % 12) + 1}/12`;
}

/** Runs tests, and returns whether they succeeded, and vitest's report if it wrote one. */
function vitest(name, args, env) {
  process.stdout.write(`${name} ...\n`);
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "keyplane-test-"));
  const file = join(folder, "vitest.json");
  const reporters = ["--reporter=./scripts/lib/progress-reporter.mjs", "--reporter=json", `--outputFile.json=${file}`];
  const succeeded = run("node_modules/vitest/vitest.mjs", ["run", ...args, ...reporters], env);
  const report = readReport(file);
  rmSync(folder, { recursive: true, force: true });
  steps.push({ name, ms: performance.now() - start });
  return { succeeded, report };
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
function run(tool, args, env = process.env) {
  const options = { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] };
  return spawnSync(process.execPath, [join(root, tool), ...args], options).status === 0;
}

/** Vitest's report, or `undefined` if vitest did not write one. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Prints what ran and how long it took. Files run concurrently, so the sum of their times exceeds the total time. */
async function printTimes(testResults) {
  const { print, printTable } = await import("../dist/cli/output.js");
  const rows = [
    ...steps,
    ...checks.map(({ name, passed, ms }) => ({ name, passed: Number(passed), failed: Number(!passed), ms })),
    ...durations(testResults),
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
  printTable(rows, columns);
}
