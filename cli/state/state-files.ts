import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

/** Where a file backend keeps the states of its stacks, below the folder that its address names. */
const STACKS = [join(".pulumi", "stacks"), "stacks"];

/** Maximum size of an unpacked state, in bytes. */
const MAX_STATE = 512 * 1024 * 1024;

/** A file that contains the state of a stack. */
export interface StateFile {
  /** How messages name it. */
  readonly name: string;
  readonly path: string;
  /** Whether the user has named it, so that it must be a state. A folder can also contain other files. */
  readonly isNamed: boolean;
}

/** What to pass to commands that also read folders. */
export const FOLDERS = "Pass the output of `pulumi stack export --file state.json`, or the folder of a file backend";

/**
 * The files with states at these paths: files, and the files below folders, in order. Throws a `UsageError` that names
 * what cannot be read.
 */
export async function stateFiles(paths: readonly string[]): Promise<StateFile[]> {
  const found = await Promise.all(
    paths.map(async (path, at) => {
      try {
        if (!(await stat(path)).isDirectory()) return [{ name: plain(path), path, isNamed: true }];
        const files = await stateFilesIn(path);
        return files.map((file) => ({ name: plain(file), path: file, isNamed: false }));
      } catch (error) {
        throw refused(shownPath(path, `path ${at + 1}`), unreadable(error), FOLDERS);
      }
    }),
  );
  return found.flat();
}

/** Reads a file with a state. Unpacks it if it is compressed. */
export async function readStateFile({ name, path }: StateFile): Promise<Buffer> {
  try {
    return await unpacked(await readFile(path));
  } catch (error) {
    throw refused(name, unreadable(error), FOLDERS);
  }
}

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

/** How a message names an argument: an argument that is not a file could be a misplaced secret. */
export function shownPath(path: string, position: string): string {
  return /\.json(\.gz)?$/.test(path) ? plain(path) : position;
}

export function unreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
}

/** The error for what is not a state. */
export function refused(
  what: string,
  why: string,
  remedy = "Create one with `pulumi stack export --file state.json`, or pass --stack NAME",
): UsageError {
  return new UsageError(`--state: ${what} ${why}. ${remedy}`);
}
