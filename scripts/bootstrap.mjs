// Prepares a clone: checks the Node version, and installs and builds if necessary. All package.json commands that need
// this run it first. Without changes it takes about a second.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

requireNode();
if (!dependenciesAreInstalled()) {
  say("Installing the dependencies (only when they have changed) ...");
  // npm sets this variable for its scripts. On Windows, `npm` alone is not an executable.
  const npm = process.env.npm_execpath;
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  run(npm?.endsWith(".js") ? [process.execPath, npm, ...args] : ["npm", ...args], "npm ci");
}
run([process.execPath, "node_modules/typescript/bin/tsc", "-b"], "the build (tsc -b)");

/** Stops with a clear message if Node is too old, before a less clear error occurs. */
function requireNode() {
  const { engines } = readJson("package.json");
  const wanted = engines.node.replace(">=", "");
  const [have, need] = [process.versions.node, wanted].map((version) => version.split(".").map(Number));
  const difference = need.map((part, index) => have[index] - part).find((part) => part !== 0) ?? 0;
  if (difference < 0) stop(`keyplane needs Node ${wanted} or newer; this is Node ${process.versions.node}.`);
}

/** Whether each locked package is installed in its locked version. npm writes this record last, so it is complete. */
function dependenciesAreInstalled() {
  const record = "node_modules/.package-lock.json";
  if (!existsSync(`${root}${record}`)) return false;
  const installed = readJson(record).packages;
  return Object.entries(readJson("package-lock.json").packages).every(([path, locked]) => {
    // The lock file includes packages for other systems, and the root, which is not in the installed record.
    if (path === "" || locked.optional) return true;
    return installed[path]?.version === locked.version && installed[path]?.integrity === locked.integrity;
  });
}

function run([command, ...args], what) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) stop(`${what} failed${error ? `: ${error.message}` : ""}.`);
}

function readJson(path) {
  return JSON.parse(readFileSync(`${root}${path}`, "utf8"));
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function stop(text) {
  say(text);
  process.exit(1);
}
