import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "../schema/resource-type";

/** What a provider can find out about the command that runs it. The engine tells it nothing of these. */
export interface EngineCommand extends Command {
  readonly cli: string;
  /** The stack that the command line names; empty if it names none, and `undefined` if it cannot be read. */
  readonly stack: string | undefined;
  /**
   * Whether it refreshes resources: before it changes the first one, or, if it runs the program for that, in between.
   * `never` if it cannot be read: otherwise each run after a failed replacement would fail once more.
   */
  readonly refreshes: "before" | "between" | "never";
  /** Whether the command can compare the inputs of resources with those of an earlier preview. */
  readonly usesPlan: boolean;
  /** The file with the plan, as the command line names it; `undefined` if it names none. */
  readonly plan: string | undefined;
  /** The CLI's process; `undefined` if it was not found. */
  readonly pid: number | undefined;
}

/** Path of the Pulumi CLI to ask for the stack's state. @default the CLI that runs this process, else `pulumi` */
const CLI_VARIABLE = "KEYPLANE_PULUMI";

/** Options that leave resources out of a run. */
const LIMITS = ["target", "target-replace", "exclude", "exclude-protected"];

/** Options that compare a run with a plan. */
const PLANS = ["plan", "save-plan", "strict"];

/** Short options without a value. All others take the rest of their word, or the next word. */
const SWITCHES = "dfyjreQ";

/** The option that names the stack, and a value that is attached to it. */
const STACK = new RegExp(`^(?:--stack(?:=|$)|-[${SWITCHES}]*s=?)(.*)$`, "s");

/** Options before the command without a value. Every other one takes the next word, unless its value is attached. */
const GLOBAL_SWITCHES =
  /^--(debug|disable-integrity-checking|emoji|fully-qualify-stack-names|help|logflow|logtostderr|non-interactive)$/;

export function engineCommand(env: NodeJS.ProcessEnv = process.env, started = startedBy(env)): EngineCommand {
  const { cli, words, pid } = started;
  const [names, shorts] = [namesIn(words ?? []), (words ?? []).map(shortsIn)];
  // It leaves all other resources out, except without a stack.
  const isDo = commandIn(words ?? []) === "do" && !names.has("stateless");
  const isSet = (option: string) => names.has(option) || isOn(env[variableOf(option)]);
  const isLimited = LIMITS.some(isSet) || shorts.some((letters) => /[tx]$/.test(letters)) || isDo;
  const isRefreshing = isSet("refresh") || shorts.some((letters) => letters.includes("r"));
  const runsProgram = names.has("run-program") || isOn(env.PULUMI_RUN_PROGRAM);
  const goesOn = isSet("continue-on-error") || isOn(env.PULUMI_CONTINUE_ON_ERROR);
  return {
    cli,
    stack: words && (stackOption(words) ?? ""),
    isInDoubt: words === undefined || isLimited || goesOn,
    isLimited,
    goesOn,
    refreshes: isRefreshing ? (runsProgram ? "between" : "before") : "never",
    isDestroy: words !== undefined && ["destroy", "down", "dn"].includes(commandIn(words)),
    usesPlan: words === undefined || PLANS.some(isSet) || isOn(env.PULUMI_EXPERIMENTAL),
    plan: valueAfter("plan", words ?? []) ?? (env[variableOf("plan")] || undefined),
    pid,
  };
}

/** Whether the engine saves the state only at the end of the run, so that it does not show what the run has done. */
export function skipsCheckpoints(env: NodeJS.ProcessEnv = process.env): boolean {
  return isOn(env.PULUMI_SKIP_CHECKPOINTS);
}

/** Whether the project asks for a refresh in every run, which neither the command nor the history shows. */
export function refreshesAlways(folder = process.cwd()): boolean {
  for (const name of ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"]) {
    try {
      const text = readFileSync(join(folder, name), "utf8");
      return text.replaceAll(/[\s"']/g, "").includes("refresh:always");
    } catch {
      // The project file is in a parent folder, or has another name.
    }
  }
  const parent = dirname(folder);
  return parent !== folder && refreshesAlways(parent);
}

/** The long options that are on a command line and not switched off. A word that is a value counts, too. */
function namesIn(words: readonly string[]): ReadonlySet<string> {
  const options = words.flatMap((word) => [/^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? []]);
  return new Set(options.flatMap(([, name, value = "true"]) => (name !== undefined && isOn(value) ? [name] : [])));
}

/** The short options in a word, up to the first one with a value. */
const shortsIn = (word: string): string => new RegExp(`^-([${SWITCHES}]*[a-zA-Z]?)`).exec(word)?.[1] ?? "";

function stackOption(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const [, attached] = STACK.exec(word) ?? [];
    if (attached !== undefined) return attached || words[at + 1];
  }
  return undefined;
}

/** The value of a long option, attached or in the next word. The last one counts. */
function valueAfter(option: string, words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => word === `--${option}` || word.startsWith(`--${option}=`));
  const [, attached] = /^[^=]*=(.*)$/s.exec(words[at] ?? "") ?? [];
  return attached ?? (at < 0 ? undefined : words[at + 1]);
}

/** The first word that is neither an option nor the value of one. */
function commandIn(words: readonly string[]): string {
  const takesNext = (word = "") => (/^--[\w-]+$/.test(word) ? !GLOBAL_SWITCHES.test(word) : /^-[^deQh]$/.test(word));
  return words.find((word, at) => !word.startsWith("-") && !takesNext(words[at - 1])) ?? "";
}

export const variableOf = (option: string) => `PULUMI_OPTION_${option.toUpperCase().replaceAll("-", "_")}`;

const isOn = (value = ""): boolean => !["", "0", "f", "false"].includes(value.toLowerCase());

interface Started {
  readonly cli: string;
  /** The words after the CLI's name; `undefined` if they cannot be read. */
  readonly words: readonly string[] | undefined;
  readonly pid?: number;
}

/** Finds the CLI among the ancestors of this process: the host of a dynamic provider is started by a shell. */
function startedBy(env: NodeJS.ProcessEnv): Started {
  const named = env[CLI_VARIABLE] || undefined;
  // The CLI is asked in another folder than this process's.
  const given = named && basename(named) !== named ? resolve(named) : named;
  let pid = process.ppid;
  for (let generation = 0; generation < 4 && pid > 1; generation++) {
    const found = processOf(pid);
    if (found === undefined) break;
    const { file, words } = found;
    const at = words.findIndex((word) => given !== undefined && isSameFile(word, given));
    if (at >= 0) return { cli: given ?? file, words: words.slice(at + 1), pid };
    if (/^pulumi(\.exe)?$/.test(basename(file))) return { cli: given ?? file, words: words.slice(1), pid };
    pid = found.parent;
  }
  return { cli: given ?? "pulumi", words: undefined };
}

function processOf(pid: number): { file: string; parent: number; words: readonly string[] } | undefined {
  try {
    if (process.platform === "linux") {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
      const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return { file: readlinkSync(`/proc/${pid}/exe`), parent: Number(parent), words };
    }
    if (process.platform === "win32") return undefined;
    const show = (column: string) => columnOf(pid, column);
    return { file: show("comm"), parent: Number(show("ppid")), words: show("args").split(/\s+/) };
  } catch {
    return undefined;
  }
}

/** The working folder of the CLI. An inline program has another one. `undefined` if it cannot be read: without /proc. */
export function folderOf(pid: number | undefined): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/**
 * A text that tells a running process from all others that this machine ran under its id; `undefined` if it cannot be
 * read. On Linux it contains random addresses, which the kernel chose for the process, because containers with the same
 * process ids can start at the same moment.
 */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux") {
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The 22nd field. The second one is a name in parentheses, which can contain anything.
      const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
      return JSON.stringify([boot, started, readFileSync(`/proc/${pid}/auxv`, "base64")]);
    }
    return process.platform === "win32" ? undefined : columnOf(pid, "lstart") || undefined;
  } catch {
    return undefined;
  }
}

function columnOf(pid: number, column: string): string {
  const { execFileSync } = require("node:child_process") as typeof import("node:child_process");
  return execFileSync("ps", ["-ww", "-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" }).trim();
}

function isSameFile(one: string, other: string): boolean {
  if (basename(one) === one) return false;
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
