import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { base32 } from "../../provider/base32";
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

/** A digest of one trigger as version 0.2.0-alpha.2 stored it: the salt, and a hash that anybody can make. */
function formerDigest(name: string, value: string): string {
  const salt = "abcdefgh";
  const json = JSON.stringify([[name, value]]);
  return salt + base32(createHash("sha256").update(`${salt}\n${json}`).digest().subarray(0, 10));
}

test("the next run replaces digests that show a weak secret to who guesses, without a request and without a rotation", async () => {
  const rotating = () => plane.liveKeys().then((keys) => keys.map(({ id }) => id).sort());
  await up({ pin: "4711" });
  await up({ pin: "0815" });
  await up({ pin: "1234" });
  const keys = await rotating();
  const digests = async () => {
    const { resources = [] } = (await run.workspace.exportState()).deployment;
    return resources.flatMap(({ outputs }) => [outputs?.triggersDigest, outputs?.queuedTriggersDigest]).filter(Boolean);
  };
  expect(await digests()).toHaveLength(5);
  const state = await run.workspace.exportState();
  for (const { outputs, urn } of state.deployment.resources ?? []) {
    const name = urn.endsWith("::one") ? "value" : "pin";
    const isQueued = outputs?.queuedTriggersDigest !== undefined;
    if (outputs?.triggersDigest) outputs.triggersDigest = formerDigest(name, isQueued ? "0815" : "1234");
    if (outputs && isQueued) outputs.queuedTriggersDigest = formerDigest(name, "1234");
  }
  await run.workspace.importState(state);
  expect((await run.run("preview")).changes.filter((change) => !change.startsWith("update"))).toEqual([]);
  expect(await run.requestsOf(() => run.run("up"))).toEqual([]);
  expect(await rotating()).toEqual(keys);
  expect((await digests()).map((digest) => String(digest).slice(0, 5))).toEqual(
    Array.from({ length: 5 }, () => "hmac."),
  );
  await run.runIdle("up");
  await plane.clock.advance(2 * DAY);
  await run.run("up");
  // The queued trigger rotates both keys, once.
  expect((await rotating()).filter((id) => !keys.includes(id))).toHaveLength(2);
  await run.destroy();
}, 300_000);
