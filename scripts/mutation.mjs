// Removes the protections from the sources one by one, and verifies that a test fails each time. Usage:
//   node scripts/mutation.mjs [--jobs N] [WORDS]    only those whose name or part contains WORDS
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mutants } from "./mutation/mutants.mjs";
import { mutate } from "./mutation/mutate.mjs";

const root = new URL("..", import.meta.url).pathname;
const { values, positionals } = parseArgs({
  options: { jobs: { type: "string", default: "1" } },
  allowPositionals: true,
});
const words = positionals.join(" ");
const chosen = mutants.filter(({ name, part }) => `${part}: ${name}`.includes(words));
if (chosen.length === 0) {
  console.error(`no mutant has "${words}" in its name`);
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), "keyplane-mutation-"));

/** Runs test files, or only the tests with matching names. Returns the names of the failed tests, and how many ran. */
async function runTests(files, pattern, mutant) {
  const report = join(folder, `${mutants.indexOf(mutant)}.json`);
  const args = ["vitest", "run", "--config", "scripts/mutation/vitest.config.mjs", "--reporter=json"];
  args.push(`--outputFile=${report}`, ...(pattern === undefined ? [] : ["-t", pattern]), ...files);
  // Stops at the first failure, because one failed test is enough.
  if (mutant !== undefined) args.push("--bail=1");
  const env = { ...process.env, KEYPLANE_MUTANT: mutant?.name ?? "" };
  const child = spawn("npx", ["--no-install", ...args], { cwd: root, env, stdio: "ignore" });
  await new Promise((resolve) => child.once("close", resolve));
  const { testResults } = JSON.parse(await readFile(report, "utf8"));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName.trim());
  const broken = testResults.filter(({ status, assertionResults }) => status === "failed" && !assertionResults.length);
  return {
    failed,
    broken: broken.map(({ message }) => message),
    ran: tests.filter((t) => t.status === "passed").length,
  };
}

/** Returns the result of a mutant: the test that fails, or what is wrong. */
async function judge(mutant) {
  mutate(await readFile(join(root, mutant.file), "utf8"), mutant);
  // The searched names include the names of their groups.
  const pattern = mutant.by && `(^| )${mutant.by}`;
  const { failed, broken } = await runTests([mutant.test].flat(), pattern, mutant);
  if (broken.length > 0) return { problem: `does not load: ${broken[0].split("\n")[0]}` };
  return failed.length > 0 ? { caughtBy: failed[0] } : { problem: "NOT CAUGHT" };
}

try {
  const files = [...new Set(chosen.flatMap(({ test }) => test))];
  const baseline = await runTests(files);
  if (baseline.failed.length + baseline.broken.length > 0 || baseline.ran === 0) {
    throw new Error(`the tests fail without any mutant:\n${[...baseline.failed, ...baseline.broken].join("\n")}`);
  }
  const started = Date.now();
  let caught = 0;
  const waiting = [...chosen];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { caughtBy, problem } = await judge(mutant).catch((error) => ({ problem: error.message }));
      if (caughtBy !== undefined) caught += 1;
      console.log(`${caughtBy === undefined ? "FAIL" : "ok  "}  ${mutant.part}: ${mutant.name}`);
      console.log(`      ${caughtBy === undefined ? problem : `noticed by "${caughtBy}"`}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`\n${caught} of ${chosen.length} protections are covered by a test (${seconds} s)`);
  process.exitCode = caught === chosen.length && caught > 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
