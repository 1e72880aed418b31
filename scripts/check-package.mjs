// Checks that the package to publish contains what users need and nothing else, and that every kind of program can
// import it. Needs the build, or a package that was packed before.
//   npm run check:package -- [--tarball FILE]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { flawsOf } from "./package/flaws.mjs";
import { pack } from "./package/pack.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({ options: { tarball: { type: "string" } } });
const folder = mkdtempSync(join(tmpdir(), "keyplane-package-"));
try {
  const { tarball, contents, manifest } = pack(folder, options.tarball);
  const documents = contents.files.filter((path) => path.endsWith(".md"));
  const texts = Object.fromEntries(documents.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const flaws = flawsOf(contents, manifest, texts);
  for (const flaw of flaws) process.stdout.write(`${flaw}\n`);
  const checks = [
    run("publint/src/cli.js", "run", tarball, "--strict"),
    // All module resolutions, including the oldest one, from CommonJS and ESM.
    run("@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "strict", "--format", "ascii"),
  ];
  process.exitCode = flaws.length === 0 && checks.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(tool, ...args) {
  const { status } = spawnSync(process.execPath, [join(root, "node_modules", tool), ...args], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return status === 0;
}
