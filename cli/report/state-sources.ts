import { isFolder, type ReadState, readDeployments, stateFilesIn } from "../state";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

/**
 * Reads states from files, from folders and through the Pulumi CLI. Throws a `UsageError` that names an unusable one.
 * @param paths - Files with states, or folders of file backends or of exported states.
 * @param stacks - Names of stacks to export with the Pulumi CLI.
 */
export async function readSources(paths: readonly string[], stacks: readonly string[]): Promise<readonly ReadState[]> {
  const files = await Promise.all(paths.map(filesAt));
  return readDeployments({ state: files.flat(), stack: stacks });
}

/** The states in a folder, or the file itself. */
async function filesAt(path: string): Promise<readonly string[]> {
  if (path === "-" || !(await isFolder(path))) return [path];
  const files = await stateFilesIn(path);
  if (files.length > 0) return files;
  throw new UsageError(`--state: the folder ${plain(path)} contains no state (*.json, *.json.gz)`);
}
