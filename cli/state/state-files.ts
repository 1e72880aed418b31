import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** Where a file backend keeps the states of its stacks, below the folder that its address names. */
const STACKS = [join(".pulumi", "stacks"), "stacks"];

/** Maximum size of an unpacked state, in bytes. */
const MAX_STATE = 512 * 1024 * 1024;

/**
 * The files with states in a folder and in those below it, in order. Of a file backend's folder, only the states that are
 * in force: no history, and no copies (`.bak`), which a backend keeps beside a state.
 */
export async function stateFilesIn(folder: string): Promise<readonly string[]> {
  const isThere = await Promise.all(STACKS.map((inside) => isFolder(join(folder, inside))));
  const root = join(folder, STACKS.find((_, at) => isThere[at]) ?? "");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.json(\.gz)?$/.test(entry.name));
  return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

/** Whether a path is a folder. What is wrong with a path is reported when it is read. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Unpacks a state if it is compressed, as a file backend can store it. */
export async function unpacked(bytes: Buffer): Promise<Buffer> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isPacked ? promisify(gunzip)(bytes, { maxOutputLength: MAX_STATE }) : bytes;
}
