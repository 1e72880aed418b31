// The whole matrix: `npm run test:crash -- [--plugin] [--shard k/n] [--every N] [--only TEXT] [--resume]`. With `--plugin`, the
// program uses the provider plugin, otherwise the dynamic provider. Results go to .tmp/crash-results.jsonl, those of the
// plugin to .tmp/crash-results-plugin.jsonl.
import { execFileSync, fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { engineOf } from "keyplane/testing";
import { exclusionsOf } from "./exclusions";
import { matrix } from "./matrix";
import type { FrontEnd } from "./plan";
import type { CaseResult } from "./run-case";
import { runShard } from "./shard";
import { tableOf } from "./table";

// One more than two cores, because a run spends part of its time waiting for a host to end or for an answer that hangs.
const WORKERS = 3;

const { values } = parseArgs({
  options: {
    plugin: { type: "boolean", default: false },
    shard: { type: "string", default: "1/1" },
    resume: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    every: { type: "string", default: "1" },
    worker: { type: "string" },
  },
});
const root = dirname(require.resolve("keyplane/package.json"));
const frontEnd: FrontEnd = values.plugin ? "plugin" : "dynamic";
const file = join(root, ".tmp", `crash-results${values.plugin ? "-plugin" : ""}.jsonl`);
const engine = engineOf(process.env);
const [shard = 1, shards = 1] = values.shard.split("/").map(Number);
const cases = matrix({ frontEnd, engineMoments: engine === "embedded" })
  .filter(({ id }) => id.includes(values.only))
  .filter((_, at) => at % Number(values.every) === 0)
  .filter((_, at) => at % shards === shard - 1);

void (values.worker === undefined ? lead() : work(Number(values.worker)));

async function lead(): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  if (values.plugin) execFileSync(process.execPath, [join(root, "scripts", "plugin.mjs")], { stdio: "inherit" });
  if (!values.resume) rmSync(file, { force: true });
  const before = readResults();
  const started = performance.now();
  const timer = setInterval(() => say(`${readResults().length} of ${cases.length} runs`), 60_000);
  const exits = Array.from({ length: WORKERS }, (_, worker) => {
    const child = fork(__filename, [...process.argv.slice(2), "--worker", String(worker)]);
    return new Promise<number | null>((resolve) => child.once("exit", resolve));
  });
  const codes = await Promise.all(exits);
  clearInterval(timer);
  const results = readResults();
  for (const { id, leaked, revoked, lost, problems } of results) {
    const found = { leaked, "wrongly revoked": revoked, lost, "other problems": problems };
    for (const [what, which] of Object.entries(found)) {
      if (which.length > 0) say(`${id}\n  ${what}: ${which.join("\n    ")}`);
    }
  }
  const { text, isClean } = tableOf(cases, results);
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  for (const { title, reason } of exclusionsOf(frontEnd)) {
    const covered = results.filter(({ excluded }) => excluded.includes(title));
    say(`excluded in ${covered.length} runs: ${title} (${reason})`);
  }
  say(
    `${text}\n${results.length - before.length} runs in ${minutes} minutes on the ${engine} engine, with the ${frontEnd} provider`,
  );
  process.exitCode = isClean && codes.every((code) => code === 0) ? 0 : 1;
}

async function work(worker: number): Promise<void> {
  const done = new Set(readResults().map(({ id }) => id));
  const left = cases.filter(({ id }) => !done.has(id));
  await runShard(
    left.filter((_, at) => at % WORKERS === worker),
    { engine, frontEnd },
    file,
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The results of this matrix so far, without a last line that a kill cut off. */
function readResults(): CaseResult[] {
  if (!existsSync(file)) writeFileSync(file, "");
  const known = new Set(cases.map(({ id }) => id));
  const lines = readFileSync(file, "utf8").split("\n");
  return lines
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as CaseResult)
    .filter(({ id }) => known.has(id));
}
