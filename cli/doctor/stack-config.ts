import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { isObject, type Members, membersOf, textOf } from "../../provider/members";
import type { Explanation } from "../state/pulumi-stack";
import { UsageError } from "../usage-error";

/** One of keyplane's settings, as a file has it. */
export interface StackSetting {
  /** Name of the file, such as `Pulumi.dev.yaml`. */
  readonly file: string;
  readonly isSecret: boolean;
  /** Absent for a secret that is not decrypted. */
  readonly text?: string;
}

/** keyplane's settings for a stack: those of its configuration file, and those of Pulumi.yaml that it does not set. */
export interface StackConfig {
  /** Name of the stack, as the user gave it, else as in the name of the file. */
  readonly stack: string;
  /** Whether the folder has a configuration file of the stack. */
  readonly hasFile: boolean;
  /** By name without `keyplane:`. */
  readonly settings: ReadonlyMap<string, StackSetting>;
  /** Whether the stack imports environments of Pulumi ESC. What they set cannot be read here. */
  readonly hasEnvironments: boolean;
  /** Why the Pulumi CLI could not decrypt the secrets. @default it was not asked */
  readonly sealed?: Explanation;
  /** Names of the accounts in `keyplane:accounts` whose API key is in plain text. */
  readonly accountsInClear: readonly string[];
}

const PREFIX = "keyplane:";
const FILE = /^Pulumi\.(.+)\.ya?ml$/;

/**
 * Reads a stack's configuration: of the named stack, else of PULUMI_STACK, else of the only stack in the folder.
 * Without a file, it has only what Pulumi.yaml sets. Throws a `UsageError` if the file is not YAML.
 */
export function stackConfigIn(folder: string, stack: string | undefined): StackConfig {
  const project = membersOf(projectIn(folder)?.declared);
  // `config` as a text is the old name of the option.
  const place = join(folder, textOf(project.stackConfigDir) ?? textOf(project.config) ?? ".");
  const files = filesIn(place);
  const named = stack ?? process.env.PULUMI_STACK;
  // A stack name can include the organization and the project.
  const short = named?.split("/").at(-1);
  const chosen = files.filter((name) => short === undefined || FILE.exec(name)?.[1] === short);
  const [file] = short === undefined && chosen.length > 1 ? [] : chosen;
  const declared = file === undefined ? {} : readStackFile(join(place, file), file);
  // In Pulumi.yaml, a setting can be an object with its value.
  const shared = Object.entries(membersOf(project.config)).map(([key, set]) => [key, isObject(set) ? set.value : set]);
  const own = membersOf(declared.config);
  const config: Members = { ...Object.fromEntries(shared), ...own };
  const settings = new Map<string, StackSetting>();
  for (const [key, value] of Object.entries(config)) {
    if (!key.startsWith(PREFIX)) continue;
    const isSecret = holdsSecret(value);
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    const from = Object.hasOwn(own, key) && file !== undefined ? file : "Pulumi.yaml";
    settings.set(key.slice(PREFIX.length), { file: from, isSecret, ...(!isSecret && { text }) });
  }
  const accounts = Object.entries(membersOf(config[`${PREFIX}accounts`]));
  return {
    stack: named ?? FILE.exec(file ?? "")?.[1] ?? "",
    hasFile: file !== undefined,
    settings,
    hasEnvironments: declared.environment !== undefined,
    accountsInClear: accounts.flatMap(([name, set]) => (typeof membersOf(set).apiKey === "string" ? name : [])),
  };
}

/** The file of the project in a folder, and what it declares; `undefined` if that is not YAML. */
export function projectIn(folder: string): { readonly file: string; readonly declared: unknown } | undefined {
  const file = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined) return undefined;
  try {
    return { file, declared: parse(readFileSync(file, "utf8")) };
  } catch {
    return { file, declared: undefined };
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => FILE.test(name));
  } catch {
    return [];
  }
}

function readStackFile(path: string, file: string): Members {
  let content: unknown;
  try {
    content = parse(readFileSync(path, "utf8")) ?? {};
  } catch {}
  if (!isObject(content)) throw new UsageError(`${file} is not valid YAML: \`pulumi config\` shows the error`);
  return content;
}

function holdsSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "secure") || Object.values(value).some(holdsSecret);
}
