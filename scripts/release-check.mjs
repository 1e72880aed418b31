// Builds what a release has, and judges it as the registries would. Prints one line for each verdict. A part that this
// machine cannot try says so. Needs the build.
//   npm run release:check -- [--offline] [--release] [--tag TAG] [--tarball FILE] [--archives FOLDER]
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isOnPath } from "./lib/run.mjs";
import { pack } from "./package/pack.mjs";
import { archivesOf } from "./plugin/archives.mjs";
import { SYSTEMS, THIS_SYSTEM } from "./plugin/node.mjs";
import { PARTS } from "./release/parts.mjs";
import { CLI_PARTS } from "./release/parts-cli.mjs";
import { readSettings, unsetIn } from "./release/settings.mjs";
import { summary, tried, unset } from "./release/verdicts.mjs";

const { values: options } = parseArgs({
  options: {
    // Only what needs no other tool, and no registry besides the Node of this system.
    offline: { type: "boolean", default: false },
    // A release follows: everything must be set and tried.
    release: { type: "boolean", default: false },
    tag: { type: "string" },
    // What was built before, instead of a new build.
    tarball: { type: "string" },
    archives: { type: "string" },
  },
});

const read = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));
const once = (make) => {
  let made;
  return () => (made ??= make());
};

const folder = mkdtempSync(join(tmpdir(), "keyplane-release-"));
try {
  const settings = readSettings();
  const manifest = read("package.json");
  // Those of other systems take a minute and 400 MB.
  const systems = options.offline ? [THIS_SYSTEM] : SYSTEMS;
  const built = once(() => archivesOf(systems));
  const context = {
    folder,
    settings,
    manifest,
    version: manifest.version,
    schema: read("provider/plugin/schema.json"),
    packed: once(() => pack(folder, options.tarball)),
    systems,
    built,
    archives: options.archives === undefined ? built : once(() => filesIn(options.archives)),
    tag: options.tag,
    isRelease: options.release,
    here: process.env.GITHUB_REPOSITORY,
  };
  const verdicts = unset(unsetIn(settings));
  for (const verdict of verdicts) print(verdict);
  for (const part of [...PARTS, ...CLI_PARTS]) {
    const found = await tried(part, context, { offline: options.offline, has: isOnPath });
    for (const verdict of found) print(verdict);
    verdicts.push(...found);
  }
  const { text, isFine } = summary(verdicts, options.release);
  process.stdout.write(`${text}\n`);
  process.exitCode = isFine ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function print({ verdict, text }) {
  process.stdout.write(`${verdict.padEnd(9)}  ${text}\n`);
}

function filesIn(place) {
  return new Map(readdirSync(place).map((name) => [name, readFileSync(join(place, name))]));
}
