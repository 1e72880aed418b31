import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Members, membersOf, textOf } from "../../provider/members";
import { type Finding, fail, ok } from "./finding";

/** The commands of a package manager that remedies name. */
interface Commands {
  readonly add: string;
  readonly addDev: string;
  readonly reinstall: string;
  readonly dedupe: string;
  readonly run: string;
}

const COMMANDS = {
  npm: {
    add: "npm install",
    addDev: "npm install --save-dev",
    reinstall: "npm ci",
    dedupe: "npm dedupe",
    run: "npx",
  },
  pnpm: {
    add: "pnpm add",
    addDev: "pnpm add --save-dev",
    reinstall: "pnpm install --frozen-lockfile",
    dedupe: "pnpm dedupe",
    run: "pnpm exec",
  },
  yarn: { add: "yarn add", addDev: "yarn add --dev", reinstall: "yarn install", dedupe: "yarn dedupe", run: "yarn" },
  bun: { add: "bun add", addDev: "bun add --dev", reinstall: "bun install", dedupe: "bun install", run: "bunx" },
} as const satisfies Readonly<Record<string, Commands>>;

type Name = keyof typeof COMMANDS;

const LOCK_FILES: Readonly<Record<string, Name>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
};

/** What installs a program's packages. */
export interface PackageManager extends Commands {
  readonly finding: Finding;
  /** The file with which Yarn's Plug'n'Play finds packages; processes in the program's folder must load it. */
  readonly pnp?: string;
}

/**
 * The package manager of a program: the one that Pulumi.yaml names, else the one of the nearest package.json or lock file.
 * @param configured - The runtime option `packagemanager`.
 */
export function packageManagerOf(folder: string, configured: unknown): PackageManager {
  const [name, source] = isName(configured) ? [configured, "Pulumi.yaml"] : (found(folder) ?? ["npm", "no lock file"]);
  const pnp = name === "yarn" ? nearest(folder, ".pnp.cjs") : undefined;
  if (pnp === undefined) return { ...COMMANDS[name], finding: ok("packages", `${name} (${source})`) };
  if (process.versions.pnp !== undefined) {
    return { ...COMMANDS[name], pnp, finding: ok("packages", `${name} with Plug'n'Play (${source})`) };
  }
  const says = "Yarn's Plug'n'Play hides the packages from commands that Yarn does not start, such as this one";
  const remedy =
    "Run `yarn keyplane doctor` and `yarn exec pulumi up`, or set `nodeLinker: node-modules` in .yarnrc.yml.";
  return { ...COMMANDS[name], pnp, finding: fail("packages", says, remedy) };
}

const isName = (value: unknown): value is Name => typeof value === "string" && Object.hasOwn(COMMANDS, value);

function found(folder: string): readonly [Name, string] | undefined {
  const name = textOf(readManifest(join(folder, "package.json")).packageManager)?.split("@")[0];
  if (isName(name)) return [name, "package.json"];
  const lock = Object.entries(LOCK_FILES).find(([file]) => existsSync(join(folder, file)));
  if (lock !== undefined) return [lock[1], lock[0]];
  const above = dirname(folder);
  return above === folder ? undefined : found(above);
}

function nearest(folder: string, file: string): string | undefined {
  if (existsSync(join(folder, file))) return join(folder, file);
  const above = dirname(folder);
  return above === folder ? undefined : nearest(above, file);
}

/** The members of a package.json; none if it cannot be read. */
export function readManifest(path: string): Members {
  try {
    return membersOf(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}
