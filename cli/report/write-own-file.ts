import { randomUUID } from "node:crypto";
import { lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Writes a file that only its owner can read. Other users can have put a link, a pipe or their own file at this path, in
 * a folder that they share. Only a file is replaced, as a whole, and nothing is written through it.
 */
export async function writeOwnFile(path: string, text: string): Promise<void> {
  const existing = await lstat(path).catch(() => undefined);
  if (existing?.isFile() === false) throw Object.assign(new Error("not a file"), { code: "not a file" });
  // A random name and an exclusive create, so that no existing link is followed.
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
