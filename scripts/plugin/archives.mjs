import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { bundle, PLUGIN, version } from "./bundle.mjs";

/** The systems for which Pulumi installs plugins, with their names in Node. */
const SYSTEMS = { linux: "linux", darwin: "darwin", windows: "win32" };
const ARCHITECTURES = ["amd64", "arm64"];

/**
 * Writes an archive of the plugin for each system and architecture, and the file `SHA256SUMS`. The same sources give
 * the same bytes.
 *
 * @param {string} destination - The folder for them, which is created if it is missing.
 */
export function writeArchives(destination) {
  mkdirSync(destination, { recursive: true });
  for (const [name, bytes] of archivesOf()) writeFileSync(join(destination, name), bytes);
}

/** The files that `writeArchives` writes, by their names. */
export function archivesOf() {
  const archives = Object.entries(SYSTEMS).flatMap(([system, platform]) => {
    const bytes = archiveFor(platform);
    return ARCHITECTURES.map((each) => [`${PLUGIN}-v${version()}-${system}-${each}.tar.gz`, bytes]);
  });
  const sums = archives.map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
  return new Map([...archives, ["SHA256SUMS", Buffer.from(sums.sort().join(""))]]);
}

function archiveFor(platform) {
  const folder = mkdtempSync(join(tmpdir(), "keyplane-plugin-"));
  try {
    const content = join(folder, "content");
    const file = join(folder, "archive");
    bundle(content, platform);
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
