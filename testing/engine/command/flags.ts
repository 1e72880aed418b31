/** Parses the command line: the subset of Pulumi's flags that this engine supports. */
import { NotSupportedError } from "../refused";

/** What a flag accepts: no value, or one value. */
type Kind = "switch" | "value";

/** The flags of a command line. */
export interface Flags {
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** The arguments that are not flags. */
  readonly words: readonly string[];
}

/** Flags by long name. */
export type FlagKinds = Readonly<Record<string, Kind>>;

/** Flags of every command. */
const COMMON: FlagKinds = {
  stack: "value",
  cwd: "value",
  "non-interactive": "switch",
};

const SHORT: Readonly<Record<string, string>> = {
  s: "stack",
  C: "cwd",
  y: "yes",
  f: "skip-preview",
  p: "parallel",
  r: "refresh",
};

/**
 * Matches text that looks like a flag. Messages repeat only such text, because other text could be a misplaced secret.
 */
const FLAG = /^(-[a-z]|--[a-z][a-z-]{0,31})(=.*)?$/is;

/**
 * Parses a command line. Rejects a flag that is not in `known`, by name.
 * @param known the flags of the command, in addition to those of every command.
 */
export function parseFlags(args: readonly string[], known: FlagKinds): Flags {
  const kinds: FlagKinds = { ...COMMON, ...known };
  const switches = new Set<string>();
  const values = new Map<string, string>();
  const words: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      words.push(...rest.splice(0));
    } else if (!arg.startsWith("-") || arg === "-") {
      words.push(arg);
    } else {
      const { name, attached } = split(arg);
      const kind = kinds[name];
      if (kind === undefined) throw new NotSupportedError(FLAG.test(arg) ? `the flag ${arg.split("=")[0]}` : "a flag");
      if (kind === "switch") {
        if (attached !== undefined) throw new NotSupportedError(`a value of the flag --${name}`);
        switches.add(name);
        continue;
      }
      const value = attached ?? rest.shift();
      if (value === undefined) throw new Error(`the flag --${name} needs a value`);
      values.set(name, value);
    }
  }
  return { switches, values, words };
}

function split(arg: string): { name: string; attached: string | undefined } {
  if (arg.startsWith("--")) {
    const [, name = "", attached] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    return { name, attached };
  }
  const name = SHORT[arg[1] ?? ""] ?? arg[1] ?? "";
  const attached = arg.slice(2).replace(/^=/, "");
  return { name, attached: attached === "" ? undefined : attached };
}
