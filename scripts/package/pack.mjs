import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../lib/npm.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packs the built tree into a folder, as publishing does. */
export function pack(folder) {
  const [packed] = JSON.parse(npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root));
  return {
    tarball: join(folder, packed.filename),
    contents: { files: packed.files.map(({ path }) => path), bytes: packed.size, unpackedBytes: packed.unpackedSize },
    manifest: JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
  };
}
