import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../testing/engine/package-root";
import { pluginFolder, pluginForPreloads } from "./plugin-folder";

const root = packageRoot();

/** What the plugin is made of. The compiler writes its record last. */
const SOURCES = [
  "dist/build.tsbuildinfo",
  "package-lock.json",
  ...readdirSync(join(root, "scripts/plugin")).map((name) => `scripts/plugin/${name}`),
];

/** Before the tests of a project start: builds the plugins, if they are older than their sources. */
export async function setup(): Promise<void> {
  const { bundle } = await import(pathToFileURL(join(root, "scripts/plugin/bundle.mjs")).href);
  if (isOld(pluginFolder())) bundle(pluginFolder());
  if (isOld(pluginForPreloads())) bundle(pluginForPreloads(), undefined, { obeysNodeOptions: true });
}

function isOld(folder: string): boolean {
  const built = changedAt(join(folder, "pulumi-resource-keyplane"));
  return !SOURCES.every((source) => changedAt(join(root, source)) < built);
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}
