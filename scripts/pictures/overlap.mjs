// Draws docs/overlap.svg from the control plane's log of a real run of examples/overlap: three days with two
// applications that restart late, and `pulumi up` twice a day.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drivenTime, startControlPlane, Workspace } from "keyplane/testing";
import { draw } from "./overlap/draw.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const HOUR = 3_600_000;
const END = 80;

/** Hours at which the job runs `up`, and at which a person requests a rotation before it. */
const ups = [0, 12, 24, 37, 49, 62, 74];
const triggers = new Map([
  [12, "2"],
  [24, "3"],
]);

/** Hours at which each application restarts and reads the current key. One of them is always late. */
const restarts = { web: [1, 16, 40], worker: [1, 32, 64] };

const plane = await startControlPlane({ clock: { mode: "real" } });
const workspace = await Workspace.create({
  program: join(root, "examples", "overlap"),
  config: { "keyplane:baseUrl": plane.url },
  secretConfig: { "keyplane:apiKey": plane.apiKey },
  env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
});
try {
  const start = (await plane.clock.read()).now;
  const runs = [];
  const held = {};
  for (let hour = 0; hour <= END; hour += 1) {
    const { now } = await plane.clock.read();
    await plane.clock.advance(Math.max(0, start + hour * HOUR - now));
    for (const [app, hours] of Object.entries(restarts)) {
      if (hours.includes(hour)) held[app] = String((await workspace.outputs({ showSecrets: true })).key);
      if (held[app] !== undefined) await call(app, held[app]);
    }
    if (ups.includes(hour)) runs.push(await up(hour));
  }
  const hourOf = (at) => (Date.parse(at) - start) / HOUR;
  writeFileSync(join(root, "docs", "overlap.svg"), draw({ log: await plane.log(), runs, hourOf, end: END }));
} finally {
  await workspace.remove();
  await plane.close();
}

/** Sends one request of an application. The query identifies the application in the log. */
async function call(app, key) {
  const answer = await fetch(`${plane.url}/projects?limit=1&search=${app}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await answer.arrayBuffer();
}

async function up(hour) {
  const trigger = triggers.get(hour);
  if (trigger !== undefined) await workspace.setConfig("rotation", trigger);
  const { diagnostics } = await workspace.up({ env: await drivenTime(plane) });
  const kept = diagnostics.some(({ message }) => message.includes("It is kept until"));
  return { hour, asked: trigger !== undefined, kept };
}
