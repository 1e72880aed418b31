import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../../../testing/engine/state/property";
import { type EngineRun, type RunResult, Workspace } from "../../../testing/workspace";
import type { Call, Case, CaseStep, Observed } from "./case";
import { cleaned, diagnosticRows, stateOf, stepRows } from "./observe";
import type { SharedProcesses } from "./shared-processes";

/** The package that the programs are made of. */
export const PROBE = join(__dirname, "..", "probe");
const FIRST_LINE = 'const { Probe, Group, pulumi } = require("probe");\n';
const SIGNAL_DELAY_MS = 300;
const SETTLE_SECONDS = 3;

/**
 * Runs the steps of a case one after the other, and hands each to `check` before the next.
 * @param shared - Runs the programs and the provider of the steps that need no processes of their own.
 */
export async function replay(
  recorded: Case,
  check: (index: number, seen: Observed, printed: string) => void,
  shared?: SharedProcesses,
): Promise<void> {
  const workspace = await Workspace.create({ program: { "index.js": FIRST_LINE }, packages: { probe: PROBE } });
  const log = join(workspace.directory, "calls.jsonl");
  try {
    for (const [index, step] of recorded.steps.entries()) {
      if (step.program !== undefined) await workspace.setProgram({ "index.js": `${FIRST_LINE}${step.program}` });
      const before = (await readLog(log)).length;
      const calls = async () => (await readLog(log)).slice(before);
      const result = await runStep(workspace, step, log, calls, shared);
      const { deployment } = await workspace.exportState({ showSecrets: true });
      const seen: Observed = {
        exit: exitOf(result),
        calls: (await calls()).map(callOf),
        steps: stepRows(result),
        diagnostics: diagnosticRows(result),
        state: stateOf(deployment),
      };
      check(index, seen, `${result.stdout}${result.stderr}`);
    }
  } finally {
    await workspace.remove();
  }
}

async function runStep(
  workspace: Workspace,
  step: CaseStep,
  log: string,
  calls: () => Promise<string[]>,
  shared: SharedProcesses | undefined,
): Promise<RunResult> {
  const { command, args = [], world = {}, program = "", killAfter, interruptAfter, settle = SETTLE_SECONDS } = step;
  const isAboutProcesses = killAfter !== undefined || interruptAfter !== undefined || /\bthrow\b/.test(program);
  if (shared && !isAboutProcesses) {
    shared.next({ log, world, cwd: workspace.programDirectory, backend: workspace.env.PULUMI_BACKEND_URL });
    return workspace.run(command, { args, mayFail: true, inProcess: true, processes: shared });
  }
  const env = { PROBE_LOG: log, PROBE_WORLD: JSON.stringify(world), ...shared?.derivedKeys };
  const run = workspace.start(command, { args, env });
  if (killAfter !== undefined) await signalAfter(run, "SIGKILL", killAfter, calls);
  if (interruptAfter !== undefined) await signalAfter(run, "SIGINT", interruptAfter, calls);
  const result = await run.done;
  if (killAfter !== undefined) {
    await sleep(settle * 1000);
    await workspace.cancel();
  }
  return result;
}

async function signalAfter(
  run: EngineRun,
  signal: NodeJS.Signals,
  text: string,
  lines: () => Promise<string[]>,
): Promise<void> {
  let running = true;
  void run.done.finally(() => {
    running = false;
  });
  while (running && !(await lines()).some((line) => line.includes(text))) await sleep(10);
  await sleep(SIGNAL_DELAY_MS);
  run.kill(signal);
}

function exitOf({ exit, signal }: RunResult): Observed["exit"] {
  if (signal !== null) return "killed";
  return exit === 0 ? "ok" : "failed";
}

function callOf(line: string): Call {
  const { method, args } = JSON.parse(line) as { method: string; args: Json[] };
  return { method, args: args.map(cleaned) };
}

async function readLog(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}
