import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { bundle, version } from "./bundle.mjs";
import { SYSTEMS } from "./node.mjs";

/** Pulumi's names of what Node calls otherwise. */
const NAMES = { win32: "windows", x64: "amd64" };

/** The name of the archive for a system, as in `SYSTEMS`: what Pulumi looks for. */
export function archiveNameFor(system) {
  const names = system.split("-").map((each) => NAMES[each] ?? each);
  return `pulumi-resource-keyplane-v${version()}-${names.join("-")}.tar.gz`;
}

/**
 * Writes an archive of the plugin for each system and architecture, and the file `SHA256SUMS`. The same sources give
 * the same bytes.
 *
 * @param {string} destination - The folder for them, which is created if it is missing.
 */
export function writeArchives(destination) {
  mkdirSync(destination, { recursive: true });
  for (const [name, bytes] of archivesOf()) {
    writeFileSync(join(destination, name), bytes);
    process.stderr.write(`${join(destination, name)}: ${(bytes.length / 1e6).toFixed(1)} MB\n`);
  }
}

/** The files that `writeArchives` writes, by their names. */
export function archivesOf(systems = SYSTEMS) {
  const archives = systems.map((system) => [archiveNameFor(system), archiveFor(system)]);
  const sums = archives.map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
  return new Map([...archives, ["SHA256SUMS", Buffer.from(sums.sort().join(""))]]);
}

function archiveFor(system) {
  const folder = mkdtempSync(join(tmpdir(), "keyplane-plugin-"));
  try {
    const content = join(folder, "content");
    const file = join(folder, "archive");
    bundle(content, system);
    // `portable` leaves out what differs from machine to machine, such as users and times.
    create(
      { sync: true, gzip: true, portable: true, mtime: new Date(0), cwd: content, file },
      readdirSync(content).sort(),
    );
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
