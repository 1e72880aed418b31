import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
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
        if (path === "-" || !(await stat(path)).isDirectory()) return [{ name: plain(path), path, isNamed: true }];
        const files = await stateFilesIn(path);
        if (files.length > 0) return files.map((file) => ({ name: plain(file), path: file, isNamed: false }));
      } catch (error) {
        throw refused(shownPath(path, `path ${at + 1}`), unreadable(error), FOLDERS);
      }
      throw refused(`the folder ${plain(path)}`, "contains no state (*.json, *.json.gz)", FOLDERS);
    }),
  );
  return found.flat();
}

/** Reads a file with a state. Unpacks it if it is compressed. */
export async function readStateFile({ name, path }: StateFile, remedy?: string): Promise<Buffer> {
  try {
    const bytes = await (path === "-" ? buffer(process.stdin) : readFile(path));
    // A file backend can store it compressed.
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_STATE }) : bytes;
  } catch (error) {
    throw refused(name, unreadable(error), remedy);
  }
}

/**
 * The files with states in a folder and in those below it, in order. Of a file backend's folder, only the states that are
 * in force: no history, and no copies (`.bak`), which a backend keeps beside a state.
 */
async function stateFilesIn(folder: string): Promise<readonly string[]> {
  // Below the folder with the states, a project can have any name.
  const inside = resolve(folder).endsWith(join(".pulumi", "stacks")) ? [] : STACKS;
  const isThere = await Promise.all(inside.map((each) => isFolder(join(folder, each))));
  return [...(await filesBelow(join(folder, inside.find((_, at) => isThere[at]) ?? ""))).values()].toSorted();
}

/** The paths of the files with states below a folder, by their real paths: a mounted volume has links to its files. */
async function filesBelow(folder: string, found = new Map<string, string>(), seen = new Set<string>()) {
  const real = await realpath(folder);
  if (seen.has(real)) return found;
  seen.add(real);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isLink = entry.isSymbolicLink();
    if (isLink ? await isFolder(path) : entry.isDirectory()) await filesBelow(path, found, seen);
    // A link to nothing is reported when it is read. Of a file and links to it, the first name is shown.
    else if (/\.json(\.gz)?$/.test(path)) {
      const target = isLink ? await realpath(path).catch(() => path) : join(real, entry.name);
      found.set(target, [path, found.get(target) ?? path].toSorted()[0] ?? path);
    }
  }
  return found;
}

/** Whether a path is a folder. What is wrong with a path is reported when it is read. */
function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** How a message names an argument: an argument that is not a file could be a misplaced secret. */
export function shownPath(path: string, position: string): string {
  return /\.json(\.gz)?$/.test(path) ? plain(path) : position;
}

function unreadable(error: unknown): string {
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
