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
 * @param shared - Runs the programs and the provider, where a case needs no processes of its own: see {@link needsOwn}.
 */
export async function replay(
  recorded: Case,
  check: (index: number, seen: Observed, printed: string) => void,
  shared?: SharedProcesses,
): Promise<void> {
  const workspace = await Workspace.create({ program: { "index.js": FIRST_LINE }, packages: { probe: PROBE } });
  try {
    for (const [index, step] of recorded.steps.entries()) {
      const { seen, printed } = await replayStep(workspace, step, shared);
      check(index, seen, printed);
    }
  } finally {
    await workspace.remove();
  }
}

/**
 * Whether a case is about processes: an engine that is killed, interrupted or asked for its state, or a program that
 * crashes.
 */
export function needsOwn({ steps }: Case): boolean {
  return steps.some(
    ({ killAfter, interruptAfter, program }) =>
      killAfter !== undefined || interruptAfter !== undefined || /\b(?:throw|exports:)/.test(program ?? ""),
  );
}

interface Replayed {
  readonly seen: Observed;
  /** What the command printed. */
  readonly printed: string;
}

async function replayStep(workspace: Workspace, step: CaseStep, shared?: SharedProcesses): Promise<Replayed> {
  if (step.program !== undefined) await workspace.setProgram({ "index.js": `${FIRST_LINE}${step.program}` });
  const log = join(workspace.directory, "calls.jsonl");
  const before = (await readLog(log)).length;
  const lines = async () => (await readLog(log)).slice(before);
  const { command, args = [], world = {} } = step;
  let result: RunResult;
  if (shared) {
    shared.next({ log, world });
    result = await workspace.run(command, { args, mayFail: true, inProcess: true, processes: shared });
  } else {
    const run = workspace.start(command, { args, env: { PROBE_LOG: log, PROBE_WORLD: JSON.stringify(world) } });
    if (step.killAfter !== undefined) await signalAfter(run, "SIGKILL", step.killAfter, lines);
    if (step.interruptAfter !== undefined) await signalAfter(run, "SIGINT", step.interruptAfter, lines);
    result = await run.done;
  }
  if (step.killAfter !== undefined) {
    await sleep((step.settle ?? SETTLE_SECONDS) * 1000);
    await workspace.cancel();
  }
  const { deployment } = await workspace.exportState({ showSecrets: true });
  const seen: Observed = {
    exit: exitOf(result),
    calls: (await lines()).map(callOf),
    steps: stepRows(result),
    diagnostics: diagnosticRows(result),
    state: stateOf(deployment),
  };
  return { seen, printed: `${result.stdout}${result.stderr}` };
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
