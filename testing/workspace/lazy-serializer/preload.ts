// Loaded by `node --require` into the processes of a run. Pulumi's SDK loads the TypeScript compiler and npm's Arborist
// on import, because its dynamic resources may serialize closures. This takes two thirds of each process's startup
// time. keyplane's resources serialize nothing, so both modules are loaded on first use.
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

/** Replaces a module with a proxy that loads the module on first use. */
function makeLazy(from: NodeJS.Require, name: string): void {
  let file: string;
  try {
    file = from.resolve(name);
  } catch {
    // Another release of the SDK, without this module.
    return;
  }
  if (!existsSync(file)) return;
  let loaded: Record<string | symbol, unknown> | undefined;
  const get = (_: object, property: string | symbol) => {
    // The importing module checks at once whether this is an ES module. If so, it uses the module as is.
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
