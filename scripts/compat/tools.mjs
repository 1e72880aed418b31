import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm, output } from "../lib/npm.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const platform = process.platform === "win32" ? "win" : process.platform;
const nodePackage = `node-${platform}-${process.arch}`;

/** Node versions of the rows: the lowest supported one, and the newest of each later line. */
const NODES = {
  20: readJson(join(root, "package.json")).engines.node.replace(">=", ""),
  22: "22",
  24: "24",
  26: "26",
};

/** Returns the newest version of Pulumi's SDK. */
export function newestSdk() {
  return npm(["view", "@pulumi/pulumi", "version"], root).trim();
}

/** Installs several versions of Node, and pnpm, in a separate folder. Changes nothing else on this machine. */
export function prepareTools(folder) {
  const nodes = Object.entries(NODES).map(([line, version]) => [`node${line}`, `npm:${nodePackage}@${version}`]);
  writeProject(folder, { dependencies: { ...Object.fromEntries(nodes), pnpm: "10" } });
  npm(["install", "--ignore-scripts"], folder);
  const nodeFolder = (line) => join(folder, "node_modules", `node${line}`);
  return {
    node: (line) => join(nodeFolder(line), "bin", platform === "win" ? "node.exe" : "node"),
    versionOf: (line) => readJson(join(nodeFolder(line), "package.json")).version.replace(/^v/, ""),
    pnpm: (args, cwd) =>
      output(process.execPath, [join(folder, "node_modules", "pnpm", "bin", "pnpm.cjs"), ...args], cwd),
    store: join(folder, "pnpm-store"),
  };
}

/** Creates a folder with a `package.json`. */
export function writeProject(folder, manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, ...manifest }, undefined, 2)}\n`);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
