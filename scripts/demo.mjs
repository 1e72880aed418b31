// The main use case from start to end on this machine: a control plane, a Pulumi program that creates keys on it, and
// what happens to the keys. Every step states what it expects and is checked against the control plane's log.
//   npm run demo -- [--engine embedded|cli] [--json FILE]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startControlPlane, Workspace } from "keyplane/testing";
import { chooseEngine } from "./demo/engine.mjs";
import { Narrator } from "./demo/narrator.mjs";
import { searchRun } from "./demo/search-run.mjs";
import { tell } from "./demo/story.mjs";
import { summarize } from "./demo/summary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { engine: asked, json } = readArguments();

const engine = chooseEngine(asked);
const narrator = new Narrator(process.stdout, () =>
  process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
);
const plane = await startControlPlane({ clock: { mode: "real" } });
const workspace = await Workspace.create({
  program: join(root, "examples", "quickstart"),
  engine: engine.name,
  // Short, so that the step that reaches the timeout does not take long.
  config: { "keyplane:baseUrl": plane.url, "keyplane:pollInterval": "1s", "keyplane:operationTimeout": "2s" },
  secretConfig: { "keyplane:apiKey": plane.apiKey },
  // `npm test` checks the program's types. Checking them in every run would take most of the demo's time.
  env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
});
process.once("SIGINT", () => void cleanUp().finally(() => process.exit(130)));

try {
  narrator.headline("keyplane demo: API keys, from the first `up` to the last `destroy`");
  narrator.facts({
    engine: engine.about,
    "control plane": `${plane.url} (in this process: nothing leaves this machine)`,
    program: "examples/quickstart, copied to a temporary folder",
  });
  const steps = await tell({ narrator, plane, workspace });
  const found = await searchRun(narrator.texts, plane, workspace);
  const report = summarize({ engine: engine.name, steps, found, leftBehind: (await plane.liveKeys()).length });
  narrator.close(report);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = report.asTold ? 0 : 1;
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : error}\n`);
} finally {
  await cleanUp();
}

async function cleanUp() {
  await workspace.remove();
  await plane.close();
}

function readArguments() {
  try {
    return parseArgs({ options: { engine: { type: "string" }, json: { type: "string" } } }).values;
  } catch (error) {
    process.stderr.write(`${error.message}\nUsage: npm run demo -- [--engine embedded|cli] [--json FILE]\n`);
    process.exit(2);
  }
}
