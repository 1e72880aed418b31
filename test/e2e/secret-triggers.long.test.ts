import { readFile } from "node:fs/promises";
import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const DAY = 24 * 3_600_000;

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
let run: ExampleRun;
const printed: Record<string, string> = {};

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  const { id } = await plane.state.createProject();
  run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { "proj:project": id } });
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
    const { stdout, stderr } = await run.run(command, { args: ["--diff"] });
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

test("the next run removes plain-text triggers of version 0.1 from the state and changes nothing else", async () => {
  const [old, now, queued] = [secret("old"), secret("now"), secret("queued")];
  await up({ quarter: old });
  await up({ quarter: now });
  await up({ quarter: queued });
  const keys = await plane.liveKeys();
  const state = await run.workspace.exportState();
  for (const resource of state.deployment.resources ?? []) {
    const { inputs = {}, outputs = {} } = resource as unknown as Record<string, Record<string, unknown>>;
    const [owner, credential] = String(outputs.owner).split(".");
    if (resource.type.endsWith(":Owner")) for (const name of ["identity", "organization"]) delete outputs[name];
    if (outputs.owner !== undefined) Object.assign(outputs, { owner });
    if (!/:(Rotating)?ApiKey$/.test(resource.type)) continue;
    Object.assign(inputs, { owner });
    Object.assign(outputs, { credential });
    const isRotating = resource.type.endsWith(":RotatingApiKey");
    const isOne = resource.urn.endsWith("::one");
    const triggers = (value: string) => (isOne ? { value } : { quarter: value });
    for (const name of ["triggersDigest", "queuedTriggersDigest", "previousUsedAt"]) delete outputs[name];
    outputs.rotationTriggers = triggers(isRotating ? now : queued);
    if (isRotating) Object.assign(outputs, { queuedTriggers: triggers(queued), postponedTo: "2026-01-01T00:00:00Z" });
  }
  await run.workspace.importState(state);
  expect(await readFile(run.workspace.stateFile, "utf8")).toContain(queued);
  const sent = await run.requestsOf(() => run.run("up"));
  expect(sent.filter((request) => request !== "GET /api_keys")).toEqual([]);
  expect(await plane.liveKeys()).toEqual(keys);
  const found = await searchSecrets(named(), { paths: [run.workspace.stateFile] });
  expect(found).toEqual([]);
  await run.runIdle("up");
  await plane.clock.advance(2 * DAY);
  await run.run("up");
  expect((await run.workspace.exportState()).deployment.resources?.map(({ outputs }) => outputs)).not.toContainEqual(
    expect.objectContaining({ queuedTriggersDigest: expect.anything() }),
  );
  await run.destroy();
}, 300_000);
