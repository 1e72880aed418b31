import { readFile, stat } from "node:fs/promises";
import { stateFilesIn, unpacked } from "../state";
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

/**
 * The files with states at these paths: files, and the files below folders, in order. Of a file backend's folder, only
 * the states that are in force: no history, no backups. Throws a `UsageError` that names what cannot be read.
 */
export async function stateFiles(paths: readonly string[]): Promise<StateFile[]> {
  const found = await Promise.all(
    paths.map(async (path, at) => {
      try {
        if (!(await stat(path)).isDirectory()) return [{ name: plain(path), path, isNamed: true }];
        const files = await stateFilesIn(path);
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

/** Reads a file with a state. Unpacks it if it is compressed. */
export async function readStateFile({ name, path }: StateFile): Promise<Buffer> {
  try {
    return await unpacked(await readFile(path));
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
