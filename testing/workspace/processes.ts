import { readdirSync, readFileSync } from "node:fs";

/**
 * Finds the processes with a setting in their environment (`PULUMI_HOME=/tmp/...`): an engine, its program, and its
 * plugins, including those that outlived it. On systems without `/proc`, returns those of `known` that still run.
 */
export function processesWith(setting: string, known: readonly number[]): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(setting))
      .map(Number);
  } catch {
    return known.filter(isAlive);
  }
}

/** Ends processes by id. Ignores processes that have already ended. */
export function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // The process belongs to another user, or has ended.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
