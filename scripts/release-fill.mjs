// Writes the names and addresses of scripts/release/names.json into everything that contains them: package.json, the documents, the
// examples and provider/plugin/schema.json. Needs the build.
//   npm run release:fill
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { manifestWith, wrongTexts } from "./release/fill.mjs";
import { readSettings, unsetIn } from "./release/settings.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const settings = readSettings();
const manifest = new URL("../package.json", import.meta.url);
for (const { path, right } of wrongTexts(settings)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), right);
  process.stdout.write(`${path}\n`);
}
writeFileSync(
  manifest,
  `${JSON.stringify(manifestWith(JSON.parse(readFileSync(manifest, "utf8")), settings), null, 2)}\n`,
);
// Last, because it contains the examples, and the names that the texts had.
await import("./schema.mjs");
// Names have other lengths, and so tables have other widths.
const biome = ["node_modules/@biomejs/biome/bin/biome", "format", "--write", "--log-level=error", "."];
process.exitCode = spawnSync(process.execPath, biome, { cwd: root, stdio: "inherit" }).status ?? 1;
const unset = unsetIn(settings);
if (unset.length > 0) process.stdout.write(`Not set in scripts/release/names.json: ${unset.join(", ")}.\n`);
