import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

/** A file that contains the state of a stack. */
export interface StateFile {
  /** How messages name it. */
  readonly name: string;
  /** The file. */
  readonly path: string;
  /** Whether the user has named it, so that it must be a state. A folder can also contain other files. */
  readonly isNamed: boolean;
}

/** Maximum size of an unpacked state, in bytes. */
const MAX_STATE = 512 * 1024 * 1024;

/**
 * The files with states at these paths: files, and the files below folders, in order. Of a file backend's folder, only
 * the states that are in force: no history, no backups. Throws a `UsageError` that names what cannot be read.
 */
export async function stateFiles(paths: readonly string[]): Promise<StateFile[]> {
  const found = await Promise.all(
    paths.map(async (path, at) => {
      try {
        if (!(await stat(path)).isDirectory()) return [{ name: plain(path), path, isNamed: true }];
        const files = await filesBelow(await stacksIn(path));
        return files.map((file) => ({ name: plain(file), path: file, isNamed: false }));
      } catch (error) {
        // An argument that is not a file could be a misplaced secret, so the message contains its position instead.
        const { code } = error as NodeJS.ErrnoException;
        throw refused(
          /\.json(\.gz)?$/.test(path) ? plain(path) : `path ${at + 1}`,
          code === "ENOENT" ? "does not exist" : `cannot be read (${code})`,
        );
      }
    }),
  );
  return found.flat();
}

/** The folder with the states, if a folder is the root of a file backend. */
async function stacksIn(folder: string): Promise<string> {
  for (const inside of [join(folder, ".pulumi", "stacks"), join(folder, "stacks")]) {
    const found = await stat(inside).catch(() => undefined);
    if (found?.isDirectory()) return inside;
  }
  return folder;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() && /\.json(\.gz)?$/.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat().toSorted();
}

/** Reads a file with a state. Unpacks it if it is compressed. */
export async function readStateFile({ name, path }: StateFile): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_STATE }) : bytes;
  } catch (error) {
    throw refused(name, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The error for what is not a state. */
export function refused(what: string, why: string): UsageError {
  return new UsageError(
    `--state: ${what} ${why}. Pass the output of \`pulumi stack export --file state.json\`, or the folder of a file backend`,
  );
}
