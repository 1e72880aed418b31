// Changes the code that decides, one expression at a time, and reports the changes that no test notices (Stryker):
//   npm run test:mutation -- --mutate provider/keys/naming.ts     some files; a line of one: provider/keys/naming.ts:20-30
// It is installed on demand, because a fresh clone would need 60 MB and some 10 seconds more for it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "./lib/npm.mjs";

/** The newest version that runs on Node 20. */
const VERSION = "9.6.1";

const root = fileURLToPath(new URL("..", import.meta.url));
// Below the root, where it finds the vitest of the tests.
const folder = join(root, `.tmp/stryker-${VERSION}`);
const stryker = join(folder, "node_modules/@stryker-mutator/core/bin/stryker.js");
if (!existsSync(stryker)) {
  console.error(`Installing Stryker ${VERSION} ...`);
  const packages = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  npm(
    ["install", "--prefix", folder, "--no-package-lock", "--legacy-peer-deps", "--ignore-scripts", ...packages],
    root,
  );
}
const args = [stryker, "run", "scripts/mutation/stryker.config.mjs", ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1;
