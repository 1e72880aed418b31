// Draws docs/up.svg from two real runs of examples/quickstart in a terminal of the embedded engine: one creates two
// keys, one rotates a key. The service starts an operation with each key, so that the run waits for something.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startControlPlane, Workspace } from "keyplane/testing";
import { draw } from "./up/draw.mjs";
import { Screen } from "./up/screen.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const COLUMNS = 124;

const plane = await startControlPlane({ clock: { mode: "real" } });
const workspace = await Workspace.create({
  program: join(root, "examples", "quickstart"),
  engine: "embedded",
  config: { "keyplane:baseUrl": plane.url, "keyplane:pollInterval": "1s" },
  secretConfig: { "keyplane:apiKey": plane.apiKey },
  env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
});
try {
  await startsOperations([3000, 1500]);
  const scenes = [{ title: "pulumi up: two keys are made", frames: await record() }];
  await startsOperations([3000]);
  await workspace.setConfig("rotation", "2");
  scenes.push({ title: "pulumi up: one key is rotated, the new one before the old one goes", frames: await record() });
  const picture = draw({ scenes, columns: COLUMNS });
  const secrets = await plane.secretsEverIssued();
  if (secrets.some((secret) => picture.includes(secret))) throw new Error("a secret is in the picture");
  writeFileSync(join(root, "docs", "up.svg"), picture);
} finally {
  await workspace.remove();
  await plane.close();
}

/** Makes the service start an operation with each of the next keys. Each takes the given milliseconds. */
async function startsOperations(durations) {
  for (const runningMs of durations) {
    const operations = [{ action: "start_compute", schedulingMs: 500, runningMs }];
    await plane.rules.add({ route: "POST /api_keys", operations });
  }
}

/** Runs `up`, and returns what its terminal showed, starting with its first line. */
async function record() {
  const { env, stack, programDirectory } = workspace;
  const terminal = `--require ${JSON.stringify(join(root, "scripts", "pictures", "up", "terminal.cjs"))}`;
  const command = [join(root, "dist/testing/engine/main.js"), "up", "--yes", "--skip-preview", "--stack", stack];
  const engine = spawn(process.execPath, command, {
    cwd: programDirectory,
    env: { ...env, NODE_OPTIONS: terminal, TERM: "xterm-256color", NO_COLOR: "", COLUMNS: String(COLUMNS) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const screen = new Screen();
  const frames = [];
  let start;
  engine.stdout.setEncoding("utf8").on("data", (text) => {
    const now = performance.now();
    start ??= now;
    screen.write(text);
    frames.push({ at: Math.round((now - start) / 100) * 100, lines: screen.lines });
  });
  const [exit] = await once(engine, "close");
  if (exit !== 0) throw new Error(`up failed with exit code ${exit}\n${screen}`);
  return frames;
}
