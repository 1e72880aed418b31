// Builds the provider plugin for all Pulumi languages into the folder `bin`, and the archives of a release if wanted.
//   npm run build:plugin -- [--archives FOLDER]
import { statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle, FOLDER, PLUGIN } from "./plugin/bundle.mjs";

const { values: options } = parseArgs({ options: { archives: { type: "string" } } });
bundle();
const plugin = join(FOLDER, PLUGIN);
process.stderr.write(`${plugin}: ${(statSync(plugin).size / 1e6).toFixed(1)} MB\n`);
if (options.archives !== undefined) {
  const { writeArchives } = await import("./plugin/archives.mjs");
  writeArchives(options.archives);
}
