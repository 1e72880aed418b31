import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of the package keyplane, which contains what is compiled. */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "dist"))) folder = dirname(folder);
  return folder;
}

/** Path of a compiled module of the test kit, for separate processes. They cannot load TypeScript sources. */
export function compiledModule(...path: readonly string[]): string {
  return join(packageRoot(), "dist", "testing", ...path);
}
