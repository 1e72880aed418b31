import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type ReadState, readDeployments } from "../state";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

/** Where a file backend keeps the states of its stacks, below the folder that its address names. */
const STACKS = [join(".pulumi", "stacks"), "stacks"];

/**
 * Reads states from files, from folders and through the Pulumi CLI. Throws a `UsageError` that names an unusable one.
 * @param paths - Files with states, or folders of file backends or of exported states.
 * @param stacks - Names of stacks to export with the Pulumi CLI.
 */
export async function readSources(paths: readonly string[], stacks: readonly string[]): Promise<readonly ReadState[]> {
  const files = await Promise.all(paths.map(filesAt));
  return readDeployments({ state: files.flat(), stack: stacks });
}

/** The states in a folder, or the file itself. Leaves out the copies (`.bak`) that a backend keeps beside a state. */
async function filesAt(path: string): Promise<readonly string[]> {
  if (path === "-" || !(await isFolder(path))) return [path];
  const below = await Promise.all(STACKS.map(async (folder) => ((await isFolder(join(path, folder))) ? folder : [])));
  const folder = join(path, below.flat()[0] ?? "");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.json(\.gz)?$/.test(entry.name));
  if (files.length === 0)
    throw new UsageError(`--state: the folder ${plain(path)} contains no state (*.json, *.json.gz)`);
  return files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  // What is wrong with a path is reported when it is read.
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
