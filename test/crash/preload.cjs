// Loaded by `NODE_OPTIONS=--require` into every process of a run. CRASH_PLAN is JSON: with `record`, a file, it notes all
// messages of the provider and of the embedded engine there; otherwise it kills the provider, the engine or both at the
// `nth` message that is equal to `message`. It writes to the folder CRASH_FOLDER:
//   host.pid      the process id of the provider: of the plugin if CRASH_FRONT_END is `plugin`, otherwise of the dynamic host
//   loaded        exists once the provider runs keyplane: without keyplane's code, a host can outlive its engine
//   struck        exists once the moment has come
// It also skips slow work that the tests do not need, because the matrix has more than a thousand runs.
const { subscribe } = require("node:diagnostics_channel");
const crypto = require("node:crypto");
const fs = require("node:fs");
const Module = require("node:module");
const { dirname, isAbsolute, join } = require("node:path");
const { isDeepStrictEqual } = require("node:util");
const { Script } = require("node:vm");
const { keep } = require("../derived-keys.cjs");

const folder = process.env.CRASH_FOLDER;
const plan = JSON.parse(process.env.CRASH_PLAN || "null");
const script = process.argv[1] || "";
const isPlugin = process.env.CRASH_FRONT_END === "plugin";
const provider = isPlugin ? /pulumi-resource-keyplane$/ : /dynamic-provider/;
const role = /engine[\\/]main\.js$/.test(script) ? "engine" : provider.test(script) ? "host" : "program";

if (role === "host") {
  fs.writeFileSync(join(folder, "host.pid"), String(process.pid));
  if (isPlugin) fs.writeFileSync(join(folder, "loaded"), "");
}
if (plan !== null && role === "engine") {
  subscribe("keyplane:engine", ({ point, urn, op }) => {
    atMessage({ channel: "engine", point, urn: urn.split("::").slice(2).join("::"), op });
  });
}
if (plan !== null && role === "host") {
  subscribe("keyplane:provider", ({ point, route }) => atMessage({ channel: "provider", point, route }));
}
makeLight();

function atMessage(message) {
  if (plan.record) fs.appendFileSync(plan.record, `${JSON.stringify(message)}\n`);
  else if (isDeepStrictEqual(message, plan.message) && --plan.nth === 0) strike();
}

function strike() {
  fs.writeFileSync(join(folder, "struck"), "");
  const victims = { host: [hostPid()], engine: [enginePid()], both: [hostPid(), enginePid()] }[plan.victim];
  // This process is killed last.
  for (const pid of victims.sort((a, b) => Number(a === process.pid) - Number(b === process.pid))) {
    process.kill(pid, "SIGKILL");
  }
}

function hostPid() {
  return role === "host" ? process.pid : Number(fs.readFileSync(join(folder, "host.pid"), "utf8"));
}

/** The nearest ancestor that is an engine. The Pulumi CLI starts the host through a script. */
function enginePid() {
  if (role === "engine") return process.pid;
  for (let pid = process.ppid; pid > 1; pid = parentOf(pid)) {
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
    if (/engine[\\/]main\.js\0|(^|[\\/])pulumi\0/.test(command)) return pid;
  }
  return process.ppid;
}

function parentOf(pid) {
  return Number(/\) \w (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}

/**
 * Loads packages for tracing and the serialization of closures only when they are used, which is never. Skips the mapping
 * of stack traces and the debugger for closures. Compiles each module once for all runs.
 */
function makeLight() {
  const replaced = {
    "source-map-support/register": {},
    "../../runtime/closure/v8Hooks": { isInitializedAsync: async () => {} },
  };
  const unused = /^(typescript|@npmcli\/arborist|normalize-package-data|@opentelemetry\/(?!api$).+|\.\/automation)$/;
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    if (request === "keyplane/provider" && role === "host") fs.writeFileSync(join(folder, "loaded"), "");
    if (Object.hasOwn(replaced, request)) return replaced[request];
    if (!unused.test(request)) return load.call(this, request, parent, ...rest);
    const real = () => load.call(this, request, parent, ...rest);
    const members = {
      __esModule: () => true,
      default: () => real().default ?? real(),
      version: () => Module.createRequire(parent.filename)(`${request}/package.json`).version,
    };
    return new Proxy({}, { get: (_, name) => (Object.hasOwn(members, name) ? members[name]() : real()[name]) });
  };
  if (Module.enableCompileCache) Module.enableCompileCache(process.env.CRASH_CODE);
  else compileOnce();
}

/** Caches the compiled code of each module, like the compile cache of Node 22 and later. */
function compileOnce() {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (content, filename, ...rest) {
    // A provider's text in the state is not a file, and private members and imports do not work in cached code.
    if (!isAbsolute(filename) || /[.\s]#\w|\bimport\(/.test(content))
      return compile.call(this, content, filename, ...rest);
    const source = Module.wrap(content.replace(/^#!.*/, ""));
    const name = crypto.createHash("sha256").update(filename).update("\0").update(source).digest("hex");
    const file = join(process.env.CRASH_CODE, name);
    const cachedData = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
    const script = new Script(source, { filename, cachedData });
    const run = script.runInThisContext();
    const require = Module.createRequire(filename);
    const result = run.call(this.exports, this.exports, require, this, filename, dirname(filename));
    // Now the script also contains the functions that loading has called.
    if (cachedData === undefined || script.cachedDataRejected) keep(file, script.createCachedData());
    return result;
  };
}
