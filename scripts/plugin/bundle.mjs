import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The executable plugin; the engine looks for a file of this name. */
const PLUGIN = join(root, "bin", "pulumi-resource-keyplane");

/**
 * Bundles the built plugin with its dependencies into one executable file.
 * @returns {{ path: string, bytes: number }}
 */
export function bundle() {
  buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, "dist/provider/plugin/main.js")],
    outfile: PLUGIN,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "linked",
    logLevel: "warning",
  });
  chmodSync(PLUGIN, 0o755);
  return { path: PLUGIN, bytes: statSync(PLUGIN).size };
}
void [mkdirSync, writeFileSync, dirname];
