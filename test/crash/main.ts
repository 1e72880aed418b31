// The whole matrix: `npm run test:crash -- [--plugin] [--scenario NAME] [--only TEXT] [--every N] [--shard i/n] [--cli PATH]
// [--resume]`. With `--plugin`, the program uses the provider plugin, otherwise the dynamic provider. With `--cli`, the
// Pulumi CLI at that path deploys it, otherwise the embedded engine. Results go to .tmp/crash-results*.jsonl.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CrashHarness } from "./harness";
import type { Case, FrontEnd } from "./plan";
import { type CaseResult, runCase } from "./run-case";
import { scenarios } from "./scenarios";

// One more than two cores, because a run spends part of its time waiting for the next second or for a host to end.
const WORKERS = 3;

const { values } = parseArgs({
  options: {
    plugin: { type: "boolean", default: false },
    cli: { type: "string" },
    scenario: { type: "string", multiple: true },
    only: { type: "string", default: "" },
    every: { type: "string", default: "1" },
    shard: { type: "string", default: "1/1" },
    resume: { type: "boolean", default: false },
  },
});
const root = dirname(require.resolve("keyplane/package.json"));
const frontEnd: FrontEnd = values.plugin ? "plugin" : "dynamic";
const engine = values.cli === undefined ? "embedded" : "cli";
if (values.cli !== undefined) process.env.PATH = dirname(resolve(values.cli)) + delimiter + process.env.PATH;
const file = join(root, ".tmp", `crash-results-${frontEnd}-${engine}.jsonl`);
const [shard = 1, shards = 1] = values.shard.split("/").map(Number);

const COLUMNS = ["told", "uncalled", "leaked", "twice", "revoked", "lost", "problems"] as const;
const WRONG = COLUMNS.slice(2);

void main();

async function main(): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  if (values.plugin) execFileSync(process.execPath, [join(root, "scripts", "plugin.mjs")], { stdio: "inherit" });
  if (!values.resume) rmSync(file, { force: true });
  const done = new Map(readResults().map((result) => [result.id, result]));
  const started = performance.now();
  const queue = scenarios.filter(({ name }) => values.scenario?.includes(name) ?? true);
  const rows = new Map(queue.map(({ name }) => [name, [] as CaseResult[]]));
  await Promise.all(Array.from({ length: WORKERS }, work));
  const lines = [...rows, ["all", [...rows.values()].flat()] as const].map(([name, results]) =>
    row(name, [results.length, ...COLUMNS.map((what) => results.filter((each) => each[what].length > 0).length)]),
  );
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  say([row("", ["runs", ...COLUMNS]), ...lines].join("\n"));
  say(`${minutes} minutes on the ${engine} engine, with the ${frontEnd} provider`);

  /** Takes one scenario after another: its cases share what is prepared for it. */
  async function work(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "keyplane-crash-"));
    const harness = await CrashHarness.open(folder, engine, frontEnd);
    for (let scenario = queue.shift(); scenario !== undefined; scenario = queue.shift()) {
      const { name } = scenario;
      const cases = (await harness.cases(scenario))
        .filter(({ id }) => id.includes(values.only))
        .filter((_, at) => at % Number(values.every) === 0)
        .filter((_, at) => at % shards === shard - 1);
      for (const one of cases) {
        const result = done.get(one.id) ?? (await runOne(harness, one));
        rows.get(name)?.push(result);
      }
      say(`${name}: ${cases.length} runs after ${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOne(harness: CrashHarness, one: Case): Promise<CaseResult> {
  const result = await runCase(harness, one).catch((error: Error): CaseResult => {
    const problems = [`the run broke off: ${error.stack ?? error.message}`];
    return {
      id: one.id,
      leaked: [],
      twice: [],
      told: [],
      uncalled: [],
      revoked: [],
      lost: [],
      problems,
      durationMs: 0,
    };
  });
  appendFileSync(file, `${JSON.stringify(result)}\n`);
  for (const what of WRONG) {
    if (result[what].length === 0) continue;
    process.exitCode = 1;
    say(`${one.id}\n  ${what}: ${result[what].join("\n    ")}`);
  }
  return result;
}

function row(name: string, cells: readonly (string | number)[]): string {
  return name.padEnd(34) + cells.map((cell) => String(cell).padStart(10)).join("");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The results so far, without a last line that a kill cut off. */
function readResults(): CaseResult[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as CaseResult);
}
