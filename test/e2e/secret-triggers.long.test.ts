import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY } from "../times";
import { StackUnderTest } from "./stack-under-test";

/** All resource types that accept arbitrary values, with secret values. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey, ProjectReady } = require("keyplane");
const rotationTriggers = new pulumi.Config().requireSecretObject("triggers");
new ApiKey("ci", { rotationTriggers });
new RotatingApiKey("app", { rotationTriggers: rotationTriggers });
new RotatingApiKey("one", { rotationTriggers: { value: rotationTriggers.apply((all) => Object.values(all)[0]) } });
new ProjectReady("quiet", { projectId: new pulumi.Config().require("project"), triggers: rotationTriggers });
`;

let plane: ControlPlane;
let run: StackUnderTest;
const printed: Record<string, string> = {};

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  const { id } = await plane.state.createProject();
  run = await StackUnderTest.of(plane, { "index.js": PROGRAM }, { config: { "proj:project": id } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

/** All secrets so far. */
const secrets: string[] = [];

const secret = (name: string) => {
  const value = `hush-${name}-${secrets.length}-do-not-tell`;
  secrets.push(value);
  return value;
};

async function up(triggers: object): Promise<void> {
  await run.workspace.setConfig("proj:triggers", JSON.stringify(triggers), { secret: true });
  for (const command of ["preview", "up"] as const) {
    const { stdout, stderr } = await run.run(command);
    printed[`${command} ${Object.keys(printed).length + 1}`] = stdout + stderr;
  }
}

const named = () => Object.fromEntries(secrets.map((value) => [value, value]));

test("secret triggers appear nowhere as plain text, even if they are changed, queued, renamed, nested, removed or refreshed", async () => {
  await up({ quarter: secret("first") });
  await up({ quarter: secret("second") });
  // The previous keys are still live, so this change waits.
  await up({ quarter: secret("queued") });
  expect(await plane.liveKeys()).toHaveLength(5);
  await up({ renamed: secrets.at(-1) });
  await up({ renamed: [secret("listed"), { deep: [{ deeper: secret("nested") }] }], beside: secret("beside") });
  await run.run("refresh");
  await plane.clock.advance(2 * DAY);
  await up({ renamed: secret("after-the-grace") });
  await up({});
  await run.run("refresh");
  const found = await searchSecrets(named(), { paths: [run.workspace.directory], texts: printed });
  expect(found).toEqual([]);
  await run.runIdle("up");
  await run.destroy();
}, 300_000);
