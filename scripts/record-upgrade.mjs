// Records what this version leaves for later ones to upgrade from: the state and the account of a stack of each front
// end, while the grace of a rotated key lasts. A release adds the folder to test/upgrade.
//   npm run upgrade:record -- [NAME]
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { drivenTime, startControlPlane, Workspace } = require("../dist/testing");
const { version } = require("../package.json");

const HOME = "test/upgrade";
const API_KEY = "an-admin-key-of-the-recording-0001";
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
  try {
    await workspace.run("up", { env: await drivenTime(plane) });
    await workspace.setProgram(programOf("2"));
    await workspace.run("up", { env: await drivenTime(plane) });
    const state = JSON.stringify(await workspace.exportState(), undefined, 2);
    writeFileSync(join(folder, "state.json"), `${state.replaceAll(plane.url, "BASE_URL")}\n`);
  } finally {
    await workspace.remove();
    await plane.close();
  }
  process.stdout.write(`${folder}: recorded\n`);
}
