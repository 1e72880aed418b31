import { type ControlPlane, type EngineCommandName, type RunResult, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

let home: ControlPlane;
let away: ControlPlane;
let run: ExampleRun;

beforeEach(async () => {
  const open = () => startControlPlane({ clock: { mode: "real" } });
  [home, away] = await Promise.all([open(), open()]);
});

afterEach(async () => {
  await run.workspace.remove();
  await Promise.all([home.close(), away.close()]);
});

const program = (body: string) => ({
  "index.js": `const { ApiKey, RotatingApiKey, ProjectReady } = require("keyplane");\n${body}\n`,
});

const KEYS = 'new ApiKey("ci");\nnew RotatingApiKey("app");\nnew ApiKey("exact", { name: "exact" });';

/** A stack whose keys are at home. */
async function deploy(body: string): Promise<void> {
  run = await ExampleRun.create(home, program(body));
  await run.run("up");
}

async function connect({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Promise<void> {
  await run.workspace.setConfig("keyplane:baseUrl", url);
  await run.workspace.setConfig("keyplane:apiKey", apiKey, { secret: true });
}

/** Another credential of the account at home. */
async function otherCredential(): Promise<string> {
  const answer = await fetch(`${home.url}/api_keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${home.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ key_name: "the-next-admin" }),
  });
  return ((await answer.json()) as { key: string }).key;
}

const liveAt = async (plane: ControlPlane) => (await plane.liveKeys()).map(({ id }) => id).sort();

/** The requests of what is done meanwhile, by their number, at one of the two. */
async function requestsAt(plane: ControlPlane, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const since = (await plane.log()).length;
  await work();
  const counts: Record<string, number> = {};
  for (const { method, route, path } of await plane.log({ since })) {
    const request = `${method} ${route ?? path}`;
    counts[request] = (counts[request] ?? 0) + 1;
  }
  return counts;
}

/** The resources in the state but for what is Pulumi's own, by name, with all that is recorded of them. */
async function recorded(): Promise<Record<string, unknown>> {
  const { resources = [] } = (await run.workspace.exportState()).deployment;
  const ours = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/keyplane:"));
  const hidden = (_: string, value: unknown) => (isSecret(value) ? "a secret" : value);
  const told = ours.map(({ urn, id, outputs }) => [urn.split("::").slice(2).join(" "), { id, ...outputs }]);
  return JSON.parse(JSON.stringify(Object.fromEntries(told), hidden));
}

const said = ({ stdout, stderr }: RunResult) => stdout + stderr;

/** A command away from home: it fails with the one code, and nothing anywhere has changed. */
async function refused(command: EngineCommandName, args: readonly string[] = []): Promise<RunResult> {
  const [keys, theirs, before] = [await liveAt(home), await liveAt(away), await recorded()];
  await connect(away);
  const since = (await away.log()).length;
  const result = await run.run(command, { args: [...args], mayFail: true });
  expect(result.exit, said(result)).not.toBe(0);
  const codes = said(result).match(/KP-[A-Z-]+/g);
  expect([...new Set(codes)], said(result)).toEqual(["KP-WRONG-ACCOUNT"]);
  expect((await away.log({ since })).filter(({ method }) => method !== "GET")).toEqual([]);
  expect([await liveAt(home), await liveAt(away)]).toEqual([keys, theirs]);
  expect(await recorded()).toEqual(before);
  return result;
}

/** Back home the stack goes on as if nothing had happened. */
async function backHome(body: string): Promise<void> {
  await connect(home);
  await run.workspace.setProgram(program(body));
  expect(await requestsAt(home, () => run.runIdle("up"))).toEqual({});
  await run.runIdle("refresh");
  await run.destroy();
  expect(await liveAt(away)).not.toEqual([]);
}

describe("in another account than the one that holds the stack's keys, nothing is made, revoked or forgotten", () => {
  test.each<[what: string, body: string, command: EngineCommandName, args: readonly string[]]>([
    ["a new key", `${KEYS}\nnew ApiKey("more");`, "up", []],
    ["a changed trigger", KEYS.replace('"ci"', '"ci", { rotationTriggers: { n: "2" } }'), "up", []],
    ["a key that left the program", KEYS.replace('new ApiKey("ci");', ""), "up", []],
    ["all keys of a kind gone", 'new RotatingApiKey("app");', "up", []],
    ["a new exact name", `${KEYS}\nnew ApiKey("more", { name: "more" });`, "up", []],
    ["a program as before", KEYS, "up", []],
    ["a program as before, after a refresh", KEYS, "up", ["--refresh"]],
    ["a preview", KEYS, "preview", ["--refresh"]],
    ["a refresh", KEYS, "refresh", []],
    ["a destroy", KEYS, "destroy", []],
    ["a destroy after a refresh", KEYS, "destroy", ["--refresh"]],
    ["a destroy that goes on after errors", KEYS, "destroy", ["--continue-on-error"]],
  ])("%s", async (_what, body, command, args) => {
    await deploy(KEYS);
    for (const name of ["stranger", "exact", "ci", "app"]) await away.state.createKey(name);
    await run.workspace.setProgram(program(body));
    await refused(command, args);
    await backHome(KEYS);
  });
});

/** Each writing of a state encrypts a secret anew. */
function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && "ciphertext" in value;
}
