import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Members, membersOf } from "../../provider/members";
import type { Explanation } from "../state/pulumi-stack";
import { UsageError } from "../usage-error";

/** keyplane's settings in a stack's configuration file. */
export interface StackConfig {
  /** Name of the stack, as the user gave it, else as in the name of the file. */
  readonly stack: string;
  /** Name of the file, such as `Pulumi.dev.yaml`. */
  readonly file: string;
  /** Plain-text and decrypted settings, by name without `keyplane:`. */
  readonly values: ReadonlyMap<string, string>;
  /** Names of the secret settings. They are set, but cannot be read here. */
  readonly secrets: ReadonlySet<string>;
  /** Names of the settings in `values` that are secrets in the file. @default none */
  readonly opened?: ReadonlySet<string>;
  /** Why the Pulumi CLI could not decrypt the secrets. @default it was not asked */
  readonly sealed?: Explanation;
  /** Names of the accounts in `keyplane:accounts` whose API key is in plain text. */
  readonly accountsInClear: readonly string[];
}

const FILE = /^Pulumi\.(.+)\.ya?ml$/;

/**
 * Reads a stack's configuration: of the named stack, else of PULUMI_STACK, else of the only stack in the folder.
 * Returns `undefined` if there is none. Throws a `UsageError` if its file is not YAML.
 */
export function stackConfigIn(folder: string, stack: string | undefined): StackConfig | undefined {
  const files = filesIn(folder);
  const named = stack ?? process.env.PULUMI_STACK;
  // A stack name can include the organization and the project.
  const short = named?.split("/").at(-1);
  const chosen = files.filter((name) => short === undefined || FILE.exec(name)?.[1] === short);
  const [file] = short === undefined && chosen.length > 1 ? [] : chosen;
  if (file === undefined) return undefined;
  return { stack: named ?? FILE.exec(file)?.[1] ?? "", file, ...settingsIn(join(folder, file), file) };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => FILE.test(name));
  } catch {
    return [];
  }
}

function settingsIn(path: string, file: string): Pick<StackConfig, "values" | "secrets" | "accountsInClear"> {
  let config: Members;
  try {
    config = membersOf(membersOf(parse(readFileSync(path, "utf8"))).config);
  } catch {
    throw new UsageError(`${file} is not YAML: \`pulumi config\` shows the error`);
  }
  const values = new Map<string, string>();
  const secrets = new Set<string>();
  for (const [key, value] of Object.entries(config)) {
    if (!key.startsWith("keyplane:")) continue;
    const name = key.slice("keyplane:".length);
    if (holdsSecret(value)) secrets.add(name);
    else values.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  const accounts = Object.entries(membersOf(config["keyplane:accounts"]));
  const inClear = accounts.filter(([, account]) => typeof membersOf(account).apiKey === "string");
  return { values, secrets, accountsInClear: inClear.map(([name]) => name) };
}

function holdsSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "secure") || Object.values(value).some(holdsSecret);
}
