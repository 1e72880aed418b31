import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What a provider can know of the command that runs. The engine tells it nothing of these. */
export interface EngineCommand {
  readonly isReplacedByCommand: (urn: string) => boolean;
  readonly isLimited: () => boolean;
  readonly continuesAfterErrors: () => boolean;
}

const REPLACES = /^--(target-)?replace$/;
const LIMITS = /^(--target|-t|--exclude|-x)$/;
const CONTINUES = /^--continue-on-error$/;

/**
 * Whether the command that runs replaces a resource by `--replace` or `--target-replace`. The engine then calls the
 * provider exactly as for a new resource, so only the command shows that the state has a key for it.
 */
export function isReplacedByCommand(urn: string): boolean {
  const words = commandOfEngine();
  return words.some((word, at) => {
    const { name, value: urns = words[at + 1] ?? "" } = optionIn(word);
    // A pattern of URNs can include any resource.
    return REPLACES.test(name) && (urns.includes("*") || urns.split(",").includes(urn));
  });
}

/** Whether the command that runs is known to leave out resources: it names targets or exclusions. */
export function isLimited(): boolean {
  return isSet(LIMITS);
}

/** Whether the command that runs is known to continue after errors: it deletes what earlier runs replaced, in any case. */
export function continuesAfterErrors(): boolean {
  return isSet(CONTINUES);
}

/** Whether one of the options is on the command line or in the environment, and not switched off. */
function isSet(option: RegExp): boolean {
  return commandOfEngine().some((word) => {
    const { name, value = "true" } = optionIn(word);
    return option.test(name) && !["", "0", "f", "false"].includes(value.toLowerCase());
  });
}

/** An option and its value; `undefined` if the value is the next word or there is none. */
function optionIn(word: string): { readonly name: string; readonly value?: string } {
  const [name = "", ...value] = word.split("=");
  return value.length > 0 ? { name, value: value.join("=") } : { name };
}

/** The command that started this process. */
export const engineCommand: EngineCommand = { isReplacedByCommand, isLimited, continuesAfterErrors };

let command: readonly string[] | undefined;

/** The words of the command that started this process, and of its options in the environment. */
function commandOfEngine(): readonly string[] {
  command ??= [...wordsOf(process.ppid), ...OPTIONS.map((name) => `--${name}=${optionInEnv(name)}`)];
  return command;
}

/** The options that matter here and that the environment can set. */
const OPTIONS = ["replace", "target-replace", "target", "exclude", "continue-on-error"];

function optionInEnv(name: string): string {
  const { PULUMI_CONTINUE_ON_ERROR: former = "", ...env } = process.env;
  const value = env[`PULUMI_OPTION_${name.toUpperCase().replaceAll("-", "_")}`] ?? "";
  return value === "" && name === "continue-on-error" ? former : value;
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
