import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../lib/npm.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Packs the built tree into a folder as it is published, or uses an existing package.
 *
 * @param {string} folder - The folder for the package.
 * @param {string} [tarball] - A package that was packed before.
 */
export function pack(folder, tarball) {
  const what = tarball === undefined ? [] : [resolve(tarball)];
  const [packed] = JSON.parse(npm(["pack", ...what, "--json", "--ignore-scripts", "--pack-destination", folder], root));
  const file = join(folder, packed.filename);
  return {
    tarball: file,
    contents: { files: packed.files.map(({ path }) => path), bytes: packed.size, unpackedBytes: packed.unpackedSize },
    manifest: JSON.parse(execFileSync("tar", ["-xzOf", packed.filename, "package/package.json"], { cwd: folder })),
  };
}
