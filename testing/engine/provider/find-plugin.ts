/** Finds the executable of a provider plugin. */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { ProjectPlugin } from "../command/config";
import { NotSupportedError } from "../refused";

/** Returns the path of the plugin of a package. Only the project's own are supported. */
export function findPlugin(name: string, plugins: readonly ProjectPlugin[]): string {
  const directory = plugins.find((plugin) => plugin.name === name)?.directory;
  if (directory === undefined) {
    throw new NotSupportedError(`the plugin ${name}, because plugins.providers in the Pulumi.yaml does not name it`);
  }
  const path = join(directory, `pulumi-resource-${name}`);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`no plugin for the package ${name}: there is no executable ${path}`);
  }
}
