import { readdirSync, readFileSync } from "node:fs";

/**
 * The processes started with a setting in their environment (`PULUMI_HOME=/tmp/...`): an engine, its program, and its
 * plugins, also those that outlived it. Where the system has no `/proc`, those of `known` that still live.
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

/** Ends processes by their ids. One that is gone already is no error. */
export function endProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // Another user's, or it has ended since.
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
