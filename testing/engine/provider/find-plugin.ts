/** Finds the executable of a provider plugin, as the CLI does. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ProjectPlugin } from "../command/config";

/** A plugin's executable. */
export interface PluginFile {
  /** The package that it provides. */
  readonly name: string;
  readonly path: string;
  /** The folder of the executable. */
  readonly directory: string;
  /** Whether it was found on the PATH. */
  readonly onPath: boolean;
}

/** Where plugins are searched. */
export interface PluginPlaces {
  /** The plugins that the project names. */
  readonly plugins: readonly ProjectPlugin[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Finds the plugin of a package: the project's own, or one on the PATH.
 * @param version the version that a program asks for.
 */
export function findPlugin(name: string, version: string | undefined, { plugins, env }: PluginPlaces): PluginFile {
  const file = `pulumi-resource-${name}`;
  const named = plugins.find(
    (plugin) => plugin.name === name && (!plugin.version || !version || plugin.version === version),
  );
  if (named) {
    const path = executableIn(named.directory, file);
    if (path === undefined) {
      throw new Error(`no plugin for the package ${name}: ${named.directory} has no executable ${file}`);
    }
    return { name, path, directory: named.directory, onPath: false };
  }
  for (const directory of (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")) {
    const path = executableIn(directory, file);
    if (path) return { name, path, directory, onPath: true };
  }
  const asked = version ? ` in version ${version}` : "";
  throw new Error(
    `no plugin for the package ${name}${asked}: the executable ${file} was not found. Name its folder in the ` +
      `project's Pulumi.yaml (plugins: { providers: [{ name: ${name}, path: FOLDER }] }), or add the folder to the PATH`,
  );
}

function executableIn(directory: string, file: string): string | undefined {
  const names = process.platform === "win32" ? [".exe", ".cmd", ".bat"].map((end) => file + end) : [file];
  return names.map((name) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
