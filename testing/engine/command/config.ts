/** Reads and writes a project's `Pulumi.yaml` and a stack's `Pulumi.STACK.yaml`. */
import { existsSync, statSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Document, parse, parseDocument } from "yaml";
import { NotSupportedError } from "../refused";
import type { PassphraseSecrets } from "../state/secrets";

/** A project, as described by its `Pulumi.yaml`. */
export interface Project {
  readonly name: string;
  /** The folder of `Pulumi.yaml`. */
  readonly root: string;
  /** The program's folder: `root`, or `main` in it. */
  readonly directory: string;
  /** What to run in that folder: `.`, or the file named by `main`. */
  readonly entry: string;
  /** Options of the Node runtime, such as `typescript` and `nodeargs`. */
  readonly runtimeOptions: Readonly<Record<string, unknown>>;
  /** Configuration for all stacks of the project. A stack's own values take precedence. */
  readonly config: Readonly<Record<string, string>>;
  /** Declared keys without a value. Each stack must set them. */
  readonly requiredConfig: readonly string[];
  /** The provider plugins that the project names, with the folders of their executables. */
  readonly plugins: readonly ProjectPlugin[];
  /** The folder of the stacks' configuration files: `root`, or `stackConfigDir` in it. */
  readonly stackConfigDirectory: string;
}

/** A provider plugin in `plugins.providers` of a `Pulumi.yaml`. */
export interface ProjectPlugin {
  readonly name: string;
  /** The folder of the executable. */
  readonly directory: string;
}

/** A stack's configuration in plain text, with namespaces (`keyplane:baseUrl`). Objects are JSON text. */
export interface StackConfig {
  readonly values: Readonly<Record<string, string>>;
  /** The keys whose values are wholly or partly secret. */
  readonly secretKeys: readonly string[];
}

type Yaml = null | boolean | number | string | Yaml[] | { [key: string]: Yaml };

/** Reads the `Pulumi.yaml` of a folder, or of the nearest folder above it. */
export async function loadProject(from: string): Promise<Project> {
  const root = projectRoot(resolve(from));
  const file = (parse(await readFile(projectFile(root), "utf8")) ?? {}) as Record<string, Yaml>;
  const { name, runtime, main } = file;
  if (typeof name !== "string") throw new Error(`${projectFile(root)}: no project name`);
  if ("packages" in file) throw new NotSupportedError(`packages in a Pulumi.yaml (${projectFile(root)})`);
  const { language, options } = runtimeOf(runtime ?? null);
  if (language !== "nodejs") throw new NotSupportedError(`the runtime ${String(language)}`);
  const target = resolve(root, typeof main === "string" ? main : ".");
  const isFile = /\.[cm]?[jt]s$/.test(target);
  return {
    name,
    root,
    directory: isFile ? dirname(target) : target,
    entry: isFile ? target : ".",
    runtimeOptions: options,
    ...projectConfig(name, file.config ?? null),
    plugins: pluginsOf(root, file.plugins ?? null),
    stackConfigDirectory: resolve(root, typeof file.stackConfigDir === "string" ? file.stackConfigDir : "."),
  };
}

/** Path of a stack's configuration file. The file does not have to exist. */
function stackConfigFile(project: Project, stack: string): string {
  return join(project.stackConfigDirectory, `Pulumi.${stack}.yaml`);
}

/** Returns the salt of a stack's secrets, if it has one. */
export async function readSalt(project: Project, stack: string): Promise<string | undefined> {
  const salt = (await readDocument(stackConfigFile(project, stack))).get("encryptionsalt");
  return typeof salt === "string" ? salt : undefined;
}

/** Saves the salt of a stack's secrets. */
export async function writeSalt(project: Project, stack: string, salt: string): Promise<void> {
  await edit(stackConfigFile(project, stack), (document) => document.set("encryptionsalt", salt));
}

/** Returns a stack's configuration in plain text, including the project's values for it. */
export async function loadConfig(project: Project, stack: string, secrets: PassphraseSecrets): Promise<StackConfig> {
  const values: Record<string, string> = { ...project.config };
  const secretKeys: string[] = [];
  for (const [key, value] of Object.entries(await configIn(project, stack))) {
    const clear = decrypted(value, secrets);
    values[key] = textOf(clear.value);
    if (clear.secret) secretKeys.push(key);
  }
  const missing = project.requiredConfig.filter((key) => !(key in values));
  if (missing.length > 0) throw new Error(`stack ${stack} is missing configuration: ${missing.join(", ")}`);
  return { values, secretKeys };
}

/** Sets one value of a stack's configuration, encrypted if `secrets` are given. Keeps comments in the file. */
export async function setConfig(
  project: Project,
  stack: string,
  name: string,
  value: string,
  secrets?: PassphraseSecrets,
): Promise<void> {
  const stored = secrets ? { secure: secrets.encrypt(value) } : value;
  await edit(stackConfigFile(project, stack), (document) => {
    if (!document.has("config")) document.set("config", document.createNode({}));
    document.setIn(["config", namespaced(project.name, name)], document.createNode(stored));
  });
}

/** Adds the project's name as the namespace of a key that has none. */
function namespaced(project: string, key: string): string {
  return key.includes(":") ? key : `${project}:${key}`;
}

/** The stack's own values, with namespaces. */
async function configIn(project: Project, stack: string): Promise<Record<string, Yaml>> {
  const file = (await readDocument(stackConfigFile(project, stack))).toJS() as Record<string, Yaml> | null;
  const entries = Object.entries(isMap(file?.config) ? file.config : {});
  return Object.fromEntries(entries.map(([name, value]) => [namespaced(project.name, name), value]));
}

function projectRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(projectFile(folder))) return folder;
    if (folder === dirname(folder)) throw new Error(`no Pulumi.yaml in ${from} or above`);
  }
}

function projectFile(root: string): string {
  return join(root, "Pulumi.yaml");
}

function runtimeOf(runtime: Yaml): { language: Yaml | undefined; options: Record<string, unknown> } {
  if (!isMap(runtime)) return { language: runtime, options: {} };
  return { language: runtime.name, options: isMap(runtime.options) ? runtime.options : {} };
}

function pluginsOf(root: string, plugins: Yaml): ProjectPlugin[] {
  const { providers = [], ...others } = isMap(plugins) ? plugins : {};
  const [other] = Object.keys(others);
  if (other) throw new NotSupportedError(`plugins.${other} in a Pulumi.yaml (${projectFile(root)})`);
  return (Array.isArray(providers) ? providers : []).map((declared) => {
    const { name, path } = isMap(declared) ? declared : {};
    if (typeof name !== "string" || name === "") {
      throw new Error(`${projectFile(root)}: a plugin in plugins.providers has no name`);
    }
    const directory = resolve(root, typeof path === "string" ? path : "");
    if (typeof path !== "string" || !isDirectory(directory)) {
      throw new Error(`${projectFile(root)}: the path of the plugin ${name} in plugins.providers is not a folder`);
    }
    return { name, directory };
  });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function projectConfig(project: string, config: Yaml): Pick<Project, "config" | "requiredConfig"> {
  const values: Record<string, string> = {};
  const requiredConfig: string[] = [];
  for (const [name, declared] of Object.entries(isMap(config) ? config : {})) {
    const key = namespaced(project, name);
    if (!isMap(declared)) {
      values[key] = textOf(declared);
      continue;
    }
    const value = declared.value ?? declared.default;
    if (value !== undefined) values[key] = textOf(value);
    else requiredConfig.push(key);
  }
  return { config: values, requiredConfig };
}

function decrypted(value: Yaml, secrets: PassphraseSecrets): { value: Yaml; secret: boolean } {
  if (Array.isArray(value)) {
    const items = value.map((item) => decrypted(item, secrets));
    return { value: items.map((item) => item.value), secret: items.some((item) => item.secret) };
  }
  if (!isMap(value)) return { value, secret: false };
  const { secure, ...rest } = value;
  if (typeof secure === "string" && Object.keys(rest).length === 0)
    return { value: secrets.decrypt(secure), secret: true };
  const entries = Object.entries(value).map(([key, item]) => [key, decrypted(item, secrets)] as const);
  return {
    value: Object.fromEntries(entries.map(([key, item]) => [key, item.value])),
    secret: entries.some(([, item]) => item.secret),
  };
}

function textOf(value: Yaml): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isMap(value: Yaml | undefined): value is { [key: string]: Yaml } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function readDocument(path: string): Promise<Document> {
  const document = existsSync(path) ? parseDocument(await readFile(path, "utf8")) : new Document({});
  if (document.contents === null) return new Document({});
  return document as Document;
}

async function edit(path: string, change: (document: Document) => void): Promise<void> {
  const document = await readDocument(path);
  change(document);
  await writeFile(`${path}.tmp`, document.toString({ lineWidth: 0 }));
  await rename(`${path}.tmp`, path);
}
