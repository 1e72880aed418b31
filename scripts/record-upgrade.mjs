// Records what this version leaves for later ones to upgrade from: the state and the account of a stack of each front
// end, while the grace of a rotated key lasts, and the calls that the plugin answered. A release adds the folder to
// test/upgrade.
//   npm run upgrade:record -- [NAME]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { recordCalls } from "./lib/call-log.mjs";

const require = createRequire(import.meta.url);
const { drivenTime, startControlPlane, Workspace } = require("../dist/testing");
const { accountFingerprint, originFingerprint } = require("../dist/provider/keys/account-fingerprint.js");
const { version } = require("../package.json");

const HOME = "test/upgrade";
const API_KEY = "an-admin-key-of-the-recording-0001";
/** One call on each line of a log, because calls are read and compared as a whole. */
const linesOf = (calls) => calls.map((each) => `${JSON.stringify(each)}\n`).join("");

/** The state without the places in sources, which are paths of the machine that records. */
function withoutPlaces({ deployment, ...others }) {
  const resources = deployment.resources.map(({ sourcePosition, stackTrace, ...resource }) => resource);
  return { ...others, deployment: { ...deployment, resources } };
}

const { body, ...heads } = JSON.parse(readFileSync(join(HOME, "programs.json"), "utf8"));

for (const [frontEnd, head] of Object.entries(heads)) {
  const folder = join(HOME, process.argv[2] ?? version, frontEnd);
  mkdirSync(folder, { recursive: true });
  const plane = await startControlPlane({ data: join(folder, "control-plane.json"), apiKey: API_KEY });
  const programOf = (trigger) => ({ "index.js": head + body.replace("TRIGGER", trigger) });
  const workspace = await Workspace.create({
    program: programOf("1"),
    packages: { "plugin-sdk": join("test", "plugin-sdk") },
    ...(frontEnd === "plugin" && { plugins: { keyplane: "bin" } }),
    config: { "keyplane:baseUrl": plane.url },
    secretConfig: { "keyplane:apiKey": API_KEY },
  });
  const calls = recordCalls();
  // Both depend on the port of this control plane. A replay fills in its own.
  const fingerprint = accountFingerprint({ baseUrl: plane.url, apiKey: API_KEY });
  const origin = originFingerprint(plane.url);
  const portable = (text) =>
    text.replaceAll(plane.url, "BASE_URL").replaceAll(fingerprint, "FINGERPRINT").replaceAll(origin, "ADDRESS_MARK");
  const write = (name, text) => writeFileSync(join(folder, name), portable(text));
  const run = async (command) => workspace.run(command, { inProcess: true, env: await drivenTime(plane) });
  try {
    await run("up");
    await workspace.setProgram(programOf("2"));
    await run("up");
    write("state.json", `${JSON.stringify(withoutPlaces(await workspace.exportState()), undefined, 2)}\n`);
    // These change nothing, so that a later version must answer them in the same way.
    await run("up");
    await run("refresh");
    if (frontEnd === "plugin") write("calls.jsonl", linesOf(calls));
  } finally {
    await workspace.remove();
    await plane.close();
  }
  process.stdout.write(`${folder}: recorded\n`);
}
