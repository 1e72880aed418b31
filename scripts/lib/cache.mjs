import { homedir } from "node:os";
import { join } from "node:path";

/** A folder outside the tree, for what takes long to get and can be got again. */
export function cacheFolder(name) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "keyplane", name);
}
