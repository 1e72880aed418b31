import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const platform = process.platform === "win32" ? "win" : process.platform;
const nodePackage = `node-${platform}-${process.arch}`;

/** Versions of Node that the rows run on: the lowest that is supported, and the newest of each later line. */
const NODES = { 20: readJson(join(root, "package.json")).engines.node.replace(">=", ""), 22: "22", 24: "24" };

/** Packs the built tree and answers the tarball's path. */
export function pack(folder) {
  const packed = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root);
  return join(folder, JSON.parse(packed)[0].filename);
}

/** The newest version of Pulumi's SDK. */
export function newestSdk() {
  return npm(["view", "@pulumi/pulumi", "version"], root).trim();
}

/** Installs several versions of Node, and pnpm, in a folder of their own: nothing on this machine changes. */
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

/** Runs npm and answers what it printed. */
export function npm(args, cwd) {
  // npm tells its scripts where it is itself; on Windows `npm` alone is not a program.
  const own = process.env.npm_execpath;
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  return own?.endsWith("npm-cli.js")
    ? output(process.execPath, [own, ...args, ...quiet], cwd)
    : output("npm", [...args, ...quiet], cwd);
}

/** Makes a folder with a `package.json`. */
export function writeProject(folder, manifest) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, ...manifest }, undefined, 2)}\n`);
}

/** Runs a program and answers what it printed; an error holds it, too. */
export function output(file, args, cwd, env = process.env) {
  try {
    return execFileSync(file, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${file} ${args.join(" ")}\n${error.stdout ?? ""}${error.stderr ?? error.message}`);
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
