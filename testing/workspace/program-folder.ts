import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { packageRoot } from "../engine/package-root";

/** A program: a folder to copy, or files by name (`{ "index.js": "..." }`). */
export type Program = string | Readonly<Record<string, string>>;

/** What a program gets in addition to its own files. */
export interface ProgramAdditions {
  /** More packages that the program can import, with their folders. */
  readonly packages: Readonly<Record<string, string>>;
  /** Provider plugins by name, with the folders of their executables. */
  readonly plugins: Readonly<Record<string, string>>;
}

// Packages are linked instead of copied. A program does not need the rest, or the rest belongs to another stack.
const LEFT_OUT = new Set(["node_modules", ".git"]);
const STACK_CONFIG = /^Pulumi\..+\.yaml$/;

/**
 * Writes a program into an empty folder. Adds a `Pulumi.yaml` and a `package.json` if the program has none.
 * @param folder Its parent folder also belongs to the workspace: the link to the program's packages is created there.
 */
export async function writeProgram(
  folder: string,
  program: Program,
  project: string,
  { packages, plugins }: ProgramAdditions,
): Promise<void> {
  await writeSources(folder, program);
  await complete(folder, project, plugins);
  const origin = typeof program === "string" ? resolve(program) : packageRoot();
  await linkPackages(folder, nearestModules(origin), packages);
}

/**
 * Replaces the program in a folder. A folder replaces the whole program. Files replace only files of the same name.
 * Stack configuration and packages remain.
 */
export async function replaceProgram(
  folder: string,
  program: Program,
  project: string,
  { plugins }: Pick<ProgramAdditions, "plugins">,
): Promise<void> {
  if (typeof program === "string") {
    for (const name of await readdir(folder)) if (!isLeftOut(name)) await rm(join(folder, name), { recursive: true });
  }
  await writeSources(folder, program);
  await complete(folder, project, plugins);
}

async function writeSources(folder: string, program: Program): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (typeof program === "string") {
    await cp(program, folder, { recursive: true, filter: (from) => from === program || !isLeftOut(basename(from)) });
    return;
  }
  for (const [name, text] of Object.entries(program)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function complete(folder: string, project: string, plugins: ProgramAdditions["plugins"]): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  const usesTypeScript = files.some((name) => /\.[cm]?tsx?$/.test(name) && !/(^|[\\/])node_modules[\\/]/.test(name));
  const projectFile = join(folder, "Pulumi.yaml");
  const present = await readFile(projectFile, "utf8").catch(() => undefined);
  const generated = [true, false].map((typescript) => withPlugins(projectText(project, typescript), plugins));
  const isOwn = present !== undefined && !generated.includes(present);
  const text = isOwn ? present : projectText(project, usesTypeScript);
  await writeFile(projectFile, withPlugins(text, plugins));
  await writeIfMissing(join(folder, "package.json"), `${JSON.stringify({ name: "program", private: true })}\n`);
}

/**
 * Loading the TypeScript compiler takes longer than most programs run, so it is disabled for programs without
 * TypeScript.
 */
function projectText(name: string, typescript: boolean): string {
  return `name: ${name}\nruntime:\n  name: nodejs\n${typescript ? "" : "  options:\n    typescript: false\n"}`;
}

/** Adds plugins to the text of a `Pulumi.yaml`. Keeps its other plugins. */
function withPlugins(text: string, plugins: ProgramAdditions["plugins"]): string {
  const added = Object.entries(plugins).map(([name, folder]) => ({ name, path: resolve(folder) }));
  if (added.length === 0) return text;
  const document = parseDocument(text);
  const { plugins: declared } = (document.toJS() ?? {}) as { plugins?: { providers?: { name: string }[] } };
  const others = (declared?.providers ?? []).filter(({ name }) => !(name in plugins));
  document.setIn(["plugins", "providers"], document.createNode([...others, ...added]));
  return document.toString({ lineWidth: 0 });
}

async function linkPackages(
  folder: string,
  modules: string,
  packages: Readonly<Record<string, string>>,
): Promise<void> {
  // In the parent folder, so that the program's own node_modules is free for additional packages.
  const shared = join(dirname(folder), "node_modules");
  await link(modules, shared);
  const own = existsSync(join(shared, "keyplane")) ? packages : { keyplane: packageRoot(), ...packages };
  for (const [name, target] of Object.entries(own)) await link(resolve(target), join(folder, "node_modules", name));
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await symlink(target, path, "junction");
}

/** The nearest `node_modules` at or above a folder that contains Pulumi's SDK. */
function nearestModules(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if (existsSync(join(modules, "@pulumi", "pulumi"))) return modules;
    if (folder === dirname(folder)) throw new Error(`@pulumi/pulumi is not installed at ${from} or above`);
  }
}

function isLeftOut(name: string): boolean {
  return LEFT_OUT.has(name) || STACK_CONFIG.test(name);
}

async function writeIfMissing(path: string, text: string): Promise<void> {
  if (!existsSync(path)) await writeFile(path, text);
}
