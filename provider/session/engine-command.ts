import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const REPLACES = /^--(target-)?replace$/;

/**
 * Whether the command that runs replaces a resource by `--replace` or `--target-replace`. The engine then calls the
 * provider exactly as for a new resource, so only the command shows that the state has a key for it.
 */
export function isReplacedByCommand(urn: string): boolean {
  const words = commandOfEngine();
  return words.some((word, at) => {
    const [flag = "", ...value] = word.split("=");
    const urns = value.length > 0 ? value.join("=") : (words[at + 1] ?? "");
    // A pattern of URNs can include any resource.
    return REPLACES.test(flag) && (urns.includes("*") || urns.split(",").includes(urn));
  });
}

/** Whether the command that runs is known to be `pulumi up`. */
export function isUp(): boolean {
  return commandOfEngine().some((word) => word === "up" || word === "update");
}

let command: readonly string[] | undefined;

/** The words of the command that started this process, and of its options in the environment. */
function commandOfEngine(): readonly string[] {
  const { PULUMI_OPTION_REPLACE = "", PULUMI_OPTION_TARGET_REPLACE = "" } = process.env;
  command ??= [
    ...wordsOf(process.ppid),
    `--replace=${PULUMI_OPTION_REPLACE}`,
    `--target-replace=${PULUMI_OPTION_TARGET_REPLACE}`,
  ];
  return command;
}

function wordsOf(pid: number): readonly string[] {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (process.platform === "win32") return [];
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).split(/\s+/);
  } catch {
    return [];
  }
}
