import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { VERSION } from "../../provider/version";
import { programError } from "./run/program-error";
import { isInlineProgram, isMocked } from "./run/pulumi-internals";

/** The folder in which Pulumi starts the program, and the host of its resources. A program can leave it later. */
const STARTED_IN = process.cwd();

let foundFrom: string | undefined;

/**
 * Throws `KP-NOT-INSTALLED` if Pulumi's host will not find the provider that the shim lines name. It looks for packages
 * from the folder of the program, and so does not see one that only a library of the program depends on.
 */
export function mustFindProvider(folder = STARTED_IN): void {
  // An inline program shares its process with others, and its host runs in another folder.
  if (foundFrom === folder || isMocked() || isInlineProgram()) return;
  try {
    createRequire(join(folder, "index.js")).resolve("keyplane/provider");
  } catch {
    throw programError(
      "KP-NOT-INSTALLED",
      `Pulumi cannot load keyplane for this program: it looks for it from ${folder}, where it is not installed. In ` +
        `${manifestOf(folder)}, add "keyplane": "${VERSION}" to "dependencies", and install them`,
    );
  }
  foundFrom = folder;
}

/** The package.json that says what code in a folder may load. */
function manifestOf(folder: string): string {
  const manifest = join(folder, "package.json");
  const above = dirname(folder);
  return existsSync(manifest) || above === folder ? manifest : manifestOf(above);
}
