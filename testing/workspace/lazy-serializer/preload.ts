// Loaded by `node --require` into the processes of a run. Pulumi's SDK loads the TypeScript compiler and npm's Arborist
// and starts a debugger on import, because its dynamic resources may serialize closures. It loads exporters of traces,
// because a run may be traced. This takes two thirds of each process's startup time. keyplane's resources serialize
// nothing, and few runs are traced, so all of it is loaded on first use.
import Module = require("node:module");

import { existsSync } from "node:fs";
import { join, sep } from "node:path";

const COMMANDS = ["@pulumi", "pulumi", "cmd", ""].join(sep);

const SERIALIZER = ["../../typescript-shim", "@npmcli/arborist", "./v8Hooks"];
const TRACING = [
  ...["exporter-zipkin", "instrumentation", "instrumentation-grpc"],
  ...["resources", "sdk-trace-base", "sdk-trace-node"],
].map((name) => `@opentelemetry/${name}`);

/** What the SDK asks of a module before its first use, and the answer. */
const ANSWERS: Readonly<Record<string | symbol, unknown>> = {
  // The importing module checks at once whether this is an ES module. If so, it uses the module as is.
  __esModule: true,
  // The program waits for the debugger, which reports earlier scripts, too, when a closure starts it.
  isInitializedAsync: async () => {},
};

const entry = process.argv[1] ?? "";
const at = entry.lastIndexOf(COMMANDS);
if (at >= 0) {
  const sdk = join(entry.slice(0, at), "@pulumi", "pulumi");
  const fromSerializer = Module.createRequire(join(sdk, "runtime", "closure", "index.js"));
  for (const name of SERIALIZER) makeLazy(fromSerializer, name);
  const fromTracing = Module.createRequire(join(sdk, "cmd", "run", "tracing.js"));
  for (const name of TRACING) makeLazy(fromTracing, name);
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
    if (Object.hasOwn(ANSWERS, property)) return ANSWERS[property];
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
