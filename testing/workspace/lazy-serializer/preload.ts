// Loaded by `node --require` into the processes of a run. Pulumi's SDK loads the TypeScript compiler and npm's Arborist
// as soon as it is imported, because its dynamic resources may serialize closures. That is two thirds of the start-up
// time of each process. Resources of keyplane serialize nothing, so here both are loaded when they are first used.
import Module = require("node:module");

import { existsSync } from "node:fs";
import { join, sep } from "node:path";

const COMMANDS = ["@pulumi", "pulumi", "cmd", ""].join(sep);

const entry = process.argv[1] ?? "";
const at = entry.lastIndexOf(COMMANDS);
if (at >= 0) {
  const sdk = join(entry.slice(0, at), "@pulumi", "pulumi");
  const fromSerializer = Module.createRequire(join(sdk, "runtime", "closure", "index.js"));
  for (const name of ["../../typescript-shim", "@npmcli/arborist"]) makeLazy(fromSerializer, name);
}

/** Puts something in the place of a module that becomes the module at its first use. */
function makeLazy(from: NodeJS.Require, name: string): void {
  let file: string;
  try {
    file = from.resolve(name);
  } catch {
    // Another release of the SDK, which does not have it.
    return;
  }
  if (!existsSync(file)) return;
  let loaded: Record<string | symbol, unknown> | undefined;
  const get = (_: object, property: string | symbol) => {
    // The importing module asks at once whether this is an ES module. With "yes" it takes the module as it is.
    if (property === "__esModule") return true;
    if (loaded === undefined) {
      delete from.cache[file];
      loaded = from(name) as Record<string | symbol, unknown>;
    }
    return loaded[property];
  };
  const stand = new Module(file);
  Object.assign(stand, { filename: file, loaded: true, exports: new Proxy({}, { get }) });
  from.cache[file] = stand;
}
