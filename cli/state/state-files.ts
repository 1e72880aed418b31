import { existsSync, readFileSync, realpathSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { plain } from "../output";
import { UsageError } from "../usage-error";

/** Maximum size of an unpacked state, in bytes. */
const MAX_STATE = 512 * 1024 * 1024;

/** Files are states, also compressed. A backend keeps copies (`.bak`) beside them. */
const STATE = /\.json(\.gz)?$/;

/** The files with states at these paths: files, and those in folders. Throws a `UsageError` that names what cannot be read. */
export async function stateFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path, at) => {
      if (path === "-") return [path];
      const isFolder = await readable(shownPath(path, at), async () => (await stat(path)).isDirectory());
      if (!isFolder) return [path];
      const files = await readable(`the folder ${plain(path)}`, () => filesIn(path));
      if (files.length === 0) throw refused(`the folder ${plain(path)}`, "contains no state (*.json, *.json.gz)");
      return files;
    }),
  );
  return found.flat();
}

/** The states in a folder, and in those below it. Of a file backend's folder, only those that are in force. */
async function filesIn(folder: string): Promise<string[]> {
  const inside = resolve(folder).endsWith(join(".pulumi", "stacks")) ? [] : [join(".pulumi", "stacks"), "stacks"];
  const place = inside.map((each) => join(folder, each)).find((each) => existsSync(each)) ?? folder;
  const names = (await readdir(place, { recursive: true })).filter((name) => STATE.test(name)).sort();
  // A mounted volume has links to its files. A link to nothing is reported when it is read.
  const files = new Map<string, string>();
  for (const path of names.map((name) => join(place, name))) {
    files.set(existsSync(path) ? realpathSync(path) : path, path);
  }
  return [...files.values()];
}

/** Reads a file with a state, or standard input. A file backend can store it compressed. */
export function readStateFile(path: string, at: number): Promise<Buffer> {
  return readable(shownPath(path, at), async () => {
    const bytes = path === "-" ? await buffer(process.stdin) : readFileSync(path);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_STATE }) : bytes;
  });
}

/** How a message names an argument: one that is not a file could be a misplaced secret. */
export function shownPath(path: string, at: number): string {
  if (path === "-") return "standard input";
  return STATE.test(path) ? plain(path) : `path ${at + 1}`;
}

async function readable<Of>(what: string, read: () => Promise<Of>): Promise<Of> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(what, code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  }
}

/** The error for what is not a state. */
export function refused(what: string, why: string): UsageError {
  return new UsageError(
    `--state: ${what} ${why}. Pass the output of \`pulumi stack export --file state.json\`, or the folder of a file ` +
      "backend; or pass --stack NAME",
  );
}
