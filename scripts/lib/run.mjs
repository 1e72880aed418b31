import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const MOST_LETTERS = 3_000;

/** Runs a program, and returns whether it succeeded, and both of its outputs. */
export function run(file, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 100e6,
    ...options,
    env: { ...process.env, ...options.env },
  });
  return {
    succeeded: status === 0,
    stdout: stdout ?? "",
    said: `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`,
  };
}

/** Runs programs one after the other, and returns what the first one that fails said, as a list of flaws. */
export function flawsOfRuns(runs) {
  for (const [file, args, options] of runs) {
    const { succeeded, said } = run(file, args, options);
    if (!succeeded) return [`${file} ${args.join(" ")} failed:\n${said.trim().slice(-MOST_LETTERS)}`];
  }
  return [];
}

/** Whether a program is on the PATH. */
export function isOnPath(name) {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    return endings.some((ending) => existsSync(join(folder, `${name}${ending}`)));
  });
}
