import { chmodSync, copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { output } from "../lib/npm.mjs";
import { signedForMac } from "./sign.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What Node looks for, to find out whether a program was put into it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Makes one executable of a program and a Node, which it then needs no more. The same program and Node give the same
 * bytes: compiled code in it would not, and gains little.
 *
 * @param {string} code - The program, one CommonJS file that loads only what is in Node.
 * @param {{ system: string, binary: string, maker: string }} node - As `nodeFor` returns it.
 * @param {string} file - The executable.
 * @param {{ obeysNodeOptions?: boolean }} [options] - Whether `NODE_OPTIONS` has an effect on it. By default it has none:
 *   what an editor or a profiler preloads there would print into the plugin's first line.
 */
export function makeExecutable(code, { system, binary, maker }, file, { obeysNodeOptions = false } = {}) {
  const work = mkdtempSync(join(tmpdir(), "keyplane-executable-"));
  // Another process can be about to start the file, so it is replaced in one step.
  const draft = `${file}.${process.pid}`;
  try {
    const [main, blob, settings] = ["main.js", "blob", "settings.json"].map((name) => join(work, name));
    writeFileSync(main, code);
    const execArgvExtension = obeysNodeOptions ? "env" : "none";
    const common = { main: "main.js", disableExperimentalSEAWarning: true, execArgvExtension };
    const make = (way, more) => {
      writeFileSync(settings, JSON.stringify({ ...common, ...more }));
      output(maker, [way, settings], work);
    };
    // Node tests its own way on macOS on arm64. What it makes for macOS on x64 crashes: nodejs/node#65479.
    if (system === "darwin-arm64") make("--build-sea", { executable: binary, output: draft });
    else {
      make("--experimental-sea-config", { output: "blob" });
      copyFileSync(binary, draft);
      const into = [draft, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, "--macho-segment-name", "NODE_SEA"];
      output(process.execPath, [join(root, "node_modules/postject/dist/cli.js"), ...into], work);
    }
    if (system.startsWith("darwin"))
      writeFileSync(draft, signedForMac(readFileSync(draft), "pulumi-resource-keyplane"));
    chmodSync(draft, 0o755);
    renameSync(draft, file);
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(draft, { force: true });
  }
}
