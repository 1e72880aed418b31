// Builds the provider plugin for all Pulumi languages into the folder `bin`, for this system, and the archives of a
// release if wanted.
//   npm run build:plugin -- [--archives FOLDER]
import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle, FOLDER, filesFor } from "./plugin/bundle.mjs";
import { THIS_SYSTEM } from "./plugin/node.mjs";

const { values: options } = parseArgs({ options: { archives: { type: "string" } } });
try {
  bundle();
  const [plugin] = filesFor(THIS_SYSTEM).map((name) => join(FOLDER, name));
  process.stderr.write(`${plugin}: ${(statSync(plugin).size / 1e6).toFixed(1)} MB\n`);
  if (options.archives !== undefined) {
    const { writeArchives } = await import("./plugin/archives.mjs");
    writeArchives(options.archives);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
