import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { sha256 } from "../base32";
import { jsonIn, type Members, membersOf } from "../members";
import { type EngineCommand, startOf } from "./command-line";

type PlannedRun = Pick<EngineCommand, "plan" | "pid" | "usesPlan">;

/** An input that a new resource gets by the plan of this run; `undefined` if there is no plan, or if it names none. */
export function plannedInput({ plan, pid }: PlannedRun, urn: string, name: string): unknown {
  if (plan === undefined) return undefined;
  for (const folder of foldersOf(pid)) {
    const goals = readPlan(resolve(folder, plan));
    if (goals === undefined) continue;
    const { adds, updates } = recordIn(goals, urn, "goal", "inputDiff");
    return recordIn(adds)[name] ?? recordIn(updates)[name];
  }
  return undefined;
}

/**
 * Random bytes that a preview has in common with the update after it. Without a file, the engine keeps the plan in
 * memory, so both run in one process of the CLI. `undefined` if no plan is in use, or if that process is not known.
 */
export function plannedSeed({ usesPlan, pid }: PlannedRun): Uint8Array | undefined {
  if (!usesPlan || pid === undefined) return undefined;
  const start = startOf(pid);
  if (start === undefined) return undefined;
  return sha256(JSON.stringify([hostname(), pid, start]));
}

/** Where the file of a plan can be: the CLI's working folder. Without /proc, the shell's or this process's own. */
function foldersOf(pid: number | undefined): readonly string[] {
  try {
    return [readlinkSync(`/proc/${pid}/cwd`)];
  } catch {
    return [process.env.PWD ?? ".", "."];
  }
}

function readPlan(file: string): unknown {
  try {
    return membersOf(jsonIn(readFileSync(file, "utf8"))).resourcePlans;
  } catch {
    return undefined;
  }
}

/** The members of an object at a path; none if it is not there. */
function recordIn(value: unknown, ...path: readonly string[]): Members {
  return membersOf(path.reduce((at, name) => membersOf(at)[name], value));
}
