import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { isObject, type Members, membersOf, textOf } from "../../provider/members";
import { type Finding, fail, ok } from "./finding";

/** What a program's Pulumi.yaml says. */
export interface Project {
  readonly finding: Finding;
  readonly name?: string | undefined;
  /** Programs in other languages use the plugin, and no packages of Node. */
  readonly isNode: boolean;
  readonly main?: string | undefined;
  /** The options of the runtime. */
  readonly options: Members;
}

export function readProject(folder: string): Project {
  const failed = (says: string, remedy: string) => ({
    finding: fail("program", says, remedy),
    isNode: false,
    options: {},
  });
  const file = ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined)
    return failed(`there is no Pulumi.yaml in ${folder}`, "Run `keyplane doctor` in the folder of the program.");
  const declared = readYaml(file);
  const runtime = isObject(declared?.runtime) ? declared.runtime : { name: declared?.runtime };
  const runtimeName = textOf(runtime.name);
  if (declared === undefined || !runtimeName) {
    return failed(
      `${file} ${declared ? "sets no runtime" : "is not valid YAML"}`,
      "Correct it. `pulumi about` shows the error.",
    );
  }
  const isNode = runtimeName === "nodejs";
  const says = `${file}, runtime ${runtimeName}${isNode ? "" : ", which uses the keyplane plugin"}`;
  return {
    finding: ok("program", says),
    name: textOf(declared.name),
    isNode,
    main: textOf(declared.main),
    options: membersOf(runtime.options),
  };
}

function readYaml(file: string): Members | undefined {
  try {
    const declared: unknown = parse(readFileSync(file, "utf8"));
    return isObject(declared) ? declared : undefined;
  } catch {
    return undefined;
  }
}

/** The members of a package.json; none if it cannot be read. */
export function readManifest(path: string): Members {
  try {
    return membersOf(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}

/** What adds a package, by package manager. */
const MANAGERS = {
  npm: "npm install",
  pnpm: "pnpm add",
  yarn: "yarn add",
  bun: "bun add",
} as const;

type Name = keyof typeof MANAGERS;

const LOCK_FILES: Readonly<Record<string, Name>> = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
};

/** What installs a program's packages. */
export interface PackageManager {
  readonly finding: Finding;
  readonly add: string;
  /** The file with which Yarn's Plug'n'Play finds packages: each process must load it. */
  readonly pnp: string | undefined;
}

/**
 * The package manager of a program: the one that Pulumi.yaml names, else that of the nearest package.json or lock file.
 * @param configured - The runtime option `packagemanager`.
 */
export function packageManagerOf(folder: string, configured: unknown): PackageManager {
  const [name, source] = isName(configured) ? ([configured, "Pulumi.yaml"] as const) : managerIn(folder);
  const pnp = foldersFrom(folder)
    .map((each) => join(each, ".pnp.cjs"))
    .find((path) => name === "yarn" && existsSync(path));
  const says = "Yarn's Plug'n'Play hides the packages from commands that Yarn does not start, such as this one";
  const remedy =
    "Run `yarn keyplane doctor` and `yarn exec pulumi up`, or set `nodeLinker: node-modules` in .yarnrc.yml.";
  const isHidden = pnp !== undefined && process.versions.pnp === undefined;
  const finding = isHidden ? fail("packages", says, remedy) : ok("packages", `${name} (${source})`);
  return { add: MANAGERS[name], finding, pnp };
}

const isName = (value: unknown): value is Name => typeof value === "string" && Object.hasOwn(MANAGERS, value);

function managerIn(folder: string): readonly [Name, string] {
  for (const place of foldersFrom(folder)) {
    const name = textOf(readManifest(join(place, "package.json")).packageManager)?.split("@")[0];
    if (isName(name)) return [name, "package.json"];
    const lock = Object.entries(LOCK_FILES).find(([file]) => existsSync(join(place, file)));
    if (lock !== undefined) return [lock[1], lock[0]];
  }
  return ["npm", "no lock file"];
}

/** A folder, and those above it. */
function foldersFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}
