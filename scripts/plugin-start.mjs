// Starts the plugin of a release's archive for this system, as the engine does, and on macOS verifies its signature.
//   node scripts/plugin-start.mjs FOLDER
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flawsOfRuns } from "./lib/run.mjs";
import { archiveNameFor } from "./plugin/archives.mjs";
import { filesFor } from "./plugin/bundle.mjs";
import { THIS_SYSTEM } from "./plugin/node.mjs";
import { flawsOfStarting } from "./plugin/starting.mjs";

const [from] = process.argv.slice(2);
const name = archiveNameFor(THIS_SYSTEM);
const folder = mkdtempSync(join(tmpdir(), "keyplane-start-"));
const content = join(folder, "plugin");
const flaws = await flawsOfStarting(readFileSync(join(from, name)), content);
if (process.platform === "darwin") {
  flaws.push(...flawsOfRuns([["codesign", ["--verify", "--strict", join(content, filesFor(THIS_SYSTEM)[0])]]]));
}
// Windows removes no file of a process that is still ending.
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
for (const flaw of flaws) process.stderr.write(`${name}: ${flaw}\n`);
if (flaws.length === 0) process.stdout.write(`${name} starts\n`);
process.exitCode = flaws.length === 0 ? 0 : 1;
