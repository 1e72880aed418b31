import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { licensesOf } from "./licenses.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The plugin's folder in the repository. */
export const FOLDER = join(root, "bin");

/** The executable; the engine looks for a file of this name. */
export const PLUGIN = "pulumi-resource-keyplane";

/** `pulumi package add FOLDER` looks for a plugin with an empty name. Older versions reject links in archives. */
const STARTER = "pulumi-resource-";

/**
 * Bundles the built plugin with its dependencies into a folder that needs only Node.
 *
 * @param {string} [folder] - The folder, which is created if it is missing.
 * @param {string} [platform] - The system for which it is, as in `process.platform`.
 */
export function bundle(folder = FOLDER, platform = process.platform) {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, "dist/provider/plugin/main.js")],
    outfile: PLUGIN,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "external",
    logLevel: "warning",
  });
  const [comments = "", code = ""] = ["LEGAL.txt", PLUGIN].map((end) => {
    return outputFiles.find(({ path }) => path.endsWith(end))?.text;
  });
  mkdirSync(folder, { recursive: true });
  const write = (name, text, mode = 0o644) => replaceFile(join(folder, name), text, mode);
  write("LICENSES.txt", `${licensesOf(Object.keys(metafile.inputs), root)}${comments}`);
  // Node reads the executable as CommonJS even if the folder is inside an ESM package.
  write("package.json", '{ "private": true, "type": "commonjs" }\n');
  write(STARTER, `#!/usr/bin/env node\nrequire("./${PLUGIN}");\n`, 0o755);
  if (platform === "win32") {
    for (const name of [STARTER, PLUGIN]) write(`${name}.cmd`, LAUNCHER);
  }
  write(PLUGIN, code, 0o755);
}

/**
 * Starts the plugin on Windows. The command prompt looks for `node` in the current folder first, which is that of the
 * user's program: the variable prevents that.
 */
const LAUNCHER = ["@setlocal", '@set "NoDefaultCurrentDirectoryInExePath=1"', `@node "%~dp0${PLUGIN}" %*`, ""].join(
  "\r\n",
);

/** The version of the plugin, which is that of the package. */
export function version() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;
}

/** Replaces a file in one step, because another process can be about to start it. */
function replaceFile(path, text, mode) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  chmodSync(draft, mode);
  renameSync(draft, path);
}
