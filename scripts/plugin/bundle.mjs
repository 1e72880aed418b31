import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { makeExecutable } from "./executable.mjs";
import { licensesOf } from "./licenses.mjs";
import { nodeFor, THIS_SYSTEM } from "./node.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The plugin's folder in the repository. */
export const FOLDER = join(root, "bin");

/** The executable; the engine looks for a file of this name, on Windows with `.exe`. */
const PLUGIN = "pulumi-resource-keyplane";

/** `pulumi package add FOLDER` looks for a plugin with an empty name. Older versions reject links in archives. */
const STARTER = "pulumi-resource-";

/** The files of the plugin for a system, as in `SYSTEMS`: its executables first. */
export function filesFor(system) {
  const ends = system.startsWith("win32") ? [".exe", ".cmd"] : ["", ""];
  return [PLUGIN + ends[0], STARTER + ends[1], "LICENSES.txt"];
}

/**
 * Makes the built plugin with its dependencies and Node one executable, in a folder with its licenses.
 *
 * @param {string} [folder] - The folder, which is created if it is missing.
 * @param {string} [system] - The system for which it is, as in `SYSTEMS`.
 * @param {{ obeysNodeOptions?: boolean }} [options] - As for `makeExecutable`.
 */
export function bundle(folder = FOLDER, system = THIS_SYSTEM, options = {}) {
  const node = nodeFor(system);
  const { code, licenses } = bundled();
  const [plugin, starter, texts] = filesFor(system);
  mkdirSync(folder, { recursive: true });
  const replace = (name, text, mode) => replaceFile(join(folder, name), text, mode);
  replace(texts, `${licenses}Node ${node.version}\n\n${node.license}`, 0o644);
  replace(starter, plugin.endsWith(".exe") ? STARTER_ON_WINDOWS : STARTER_ELSEWHERE, 0o755);
  // The last one, because its age tells whether all are current.
  makeExecutable(code, node, join(folder, plugin), options);
}

const STARTER_ELSEWHERE = `#!/bin/sh\nexec "\${0%/*}/${PLUGIN}" "$@"\n`;
const STARTER_ON_WINDOWS = `@"%~dp0${PLUGIN}.exe" %*\r\n`;

/** The plugin with its dependencies in one file, and their licenses. */
function bundled() {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, "dist/provider/plugin/main.js")],
    outfile: PLUGIN,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "external",
    logLevel: "warning",
  });
  const [comments = "", code = ""] = ["LEGAL.txt", PLUGIN].map((end) => {
    return outputFiles.find(({ path }) => path.endsWith(end))?.text;
  });
  return { code, licenses: `${licensesOf(Object.keys(metafile.inputs), root)}${comments}` };
}

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
