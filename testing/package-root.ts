import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this package. */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** Path of a compiled module of the test kit, for separate processes. They cannot load TypeScript sources. */
export function compiledModule(...path: readonly string[]): string {
  return join(packageRoot(), "dist", "testing", ...path);
}
