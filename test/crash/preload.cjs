// Loaded by `NODE_OPTIONS=--require` into every process of a run: kills, at the moment that CRASH_PLAN names, the plugin
// host, the engine, or both. What it notes goes to the folder CRASH_FOLDER:
//   host.pid      the plugin host's process id
//   loaded        there once the host runs keyplane: Pulumi's own code lets it outlive its engine, keyplane's does not
//   struck        there once the moment has come
//   states/       the state file as it was after each write, by the time of the write
// It also leaves out what costs time and plays no part: a matrix of some thousand runs has to end within the hour.
const { subscribe } = require("node:diagnostics_channel");
const crypto = require("node:crypto");
const fs = require("node:fs");
const Module = require("node:module");
const { join } = require("node:path");

const folder = process.env.CRASH_FOLDER;
const plan = JSON.parse(process.env.CRASH_PLAN || "null");
const script = process.argv[1] || "";
const role = /engine[\\/]main\.js$/.test(script) ? "engine" : /dynamic-provider/.test(script) ? "host" : "program";

if (role === "host") fs.writeFileSync(join(folder, "host.pid"), String(process.pid));
if (role === "engine") subscribe("keyplane:engine", keepState);
if (plan?.channel === "engine" && role === "engine") subscribe("keyplane:engine", atPoint);
if (plan?.channel === "provider" && role === "host") subscribe("keyplane:provider", atPoint);
makeLight();

/** Strikes when the moment of the plan has come for the `nth` time. */
function atPoint(message) {
  const isIt = Object.entries(plan.match).every(([name, value]) =>
    name === "urn" ? message.urn.endsWith(value) : message[name] === value,
  );
  if (!isIt || plan.nth-- > 1) return;
  fs.writeFileSync(join(folder, "struck"), "");
  const victims = { host: [hostPid()], engine: [enginePid()], both: [hostPid(), enginePid()] }[plan.victim];
  // Oneself last.
  for (const pid of victims.sort((a, b) => Number(a === process.pid) - Number(b === process.pid))) {
    process.kill(pid, "SIGKILL");
  }
}

function hostPid() {
  return role === "host" ? process.pid : Number(fs.readFileSync(join(folder, "host.pid"), "utf8"));
}

/** The nearest ancestor that is an engine: the Pulumi CLI starts the host through a script. */
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

/** Copies the state right after it was written, so that the judge knows what it said at any time. */
function keepState({ point }) {
  if (point !== "after-pending-write" && point !== "after-state-write") return;
  const states = join(folder, "states");
  fs.mkdirSync(states, { recursive: true });
  fs.copyFileSync(process.env.CRASH_STATE, join(states, `${Date.now()}-${process.hrtime.bigint()}.json`));
}

/**
 * Loads packages that only the serialization of closures uses when they are used, which is never; and derives the key of
 * a passphrase, a million rounds of a hash, once for all runs.
 */
function makeLight() {
  const load = Module._load;
  Module._load = function (request, parent, ...rest) {
    if (request === "keyplane/provider" && role === "host") fs.writeFileSync(join(folder, "loaded"), "");
    if (request !== "typescript" && request !== "@npmcli/arborist") return load.call(this, request, parent, ...rest);
    const members = {
      __esModule: () => true,
      version: () => Module.createRequire(parent.filename)(`${request}/package.json`).version,
    };
    const real = () => load.call(this, request, parent, ...rest);
    return new Proxy({}, { get: (_, name) => (Object.hasOwn(members, name) ? members[name]() : real()[name]) });
  };
  const derive = crypto.pbkdf2;
  crypto.pbkdf2 = (passphrase, salt, ...rest) => {
    const done = rest.pop();
    const of = crypto.createHash("sha256").update(passphrase).update(salt).digest("hex");
    const file = join(process.env.CRASH_KEYS, of);
    if (fs.existsSync(file)) return void process.nextTick(done, null, fs.readFileSync(file));
    derive(passphrase, salt, ...rest, (error, key) => {
      if (!error) fs.writeFileSync(file, key);
      done(error, key);
    });
  };
}
