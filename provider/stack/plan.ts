import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { sha256 } from "../base32";
import { jsonIn, type Members, membersOf } from "../members";
import { type EngineCommand, folderOf, startOf } from "./command-line";

type PlannedRun = Pick<EngineCommand, "plan" | "pid" | "usesPlan">;

/** An input that a new resource gets by the plan of this run; `undefined` if there is no plan, or if it names none. */
export function plannedInput({ plan, pid }: PlannedRun, urn: string, name: string): unknown {
  if (plan === undefined) return undefined;
  const cliFolder = folderOf(pid);
  // Without /proc, the shell's folder, or this process's own.
  for (const folder of cliFolder === undefined ? [process.env.PWD ?? ".", "."] : [cliFolder]) {
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
