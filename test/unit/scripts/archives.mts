import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";

const script = (name: string) => import(new URL(`../../../scripts/${name}.mjs`, import.meta.url).href);
const { archiveNameFor } = await script("plugin/archives");
const { filesFor } = await script("plugin/bundle");

/** Archives of a release for some systems, whose files are small, with their checksums. */
export function archivesWith(systems: readonly string[], code = "content"): Map<string, Buffer> {
  const archives = systems.map((system): [string, Buffer] => [
    archiveNameFor(system),
    archiveOf(filesFor(system), code),
  ]);
  const sums = archives.map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
  return new Map([...archives, ["SHA256SUMS", Buffer.from(sums.join(""))]]);
}

function archiveOf(names: string[], code: string): Buffer {
  const cwd = mkdtempSync(join(tmpdir(), "keyplane-archive-"));
  try {
    for (const name of names) writeFileSync(join(cwd, name), code, { mode: 0o755 });
    return create({ sync: true, gzip: true, portable: true, mtime: new Date(0), cwd }, names).read() as Buffer;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
