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

/** A stack with keys in its home account. */
async function deploy(body: string, secretConfig: Record<string, string> = {}): Promise<void> {
  run = await ExampleRun.create(home, program(body), { secretConfig });
  await run.run("up");
}

async function connect({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Promise<void> {
  await run.workspace.setConfig("keyplane:baseUrl", url);
  await run.workspace.setConfig("keyplane:apiKey", apiKey, { secret: true });
}

/** Another credential of the home account. */
async function otherCredential(): Promise<string> {
  const answer = await fetch(`${home.url}/api_keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${home.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ key_name: "the-next-admin" }),
  });
  return ((await answer.json()) as { key: string }).key;
}

const liveAt = async (plane: ControlPlane) => (await plane.liveKeys()).map(({ id }) => id).sort();

/** The number of each request that the action sends to one of the two control planes. */
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

/** The resources in the state by name, with everything recorded about them, except Pulumi's own. */
async function recorded(): Promise<Record<string, unknown>> {
  const { resources = [] } = (await run.workspace.exportState()).deployment;
  const ours = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/keyplane:"));
  const hidden = (_: string, value: unknown) => (isSecret(value) ? "a secret" : value);
  const told = ours.map(({ urn, id, outputs }) => [urn.split("::").slice(2).join(" "), { id, ...outputs }]);
  return JSON.parse(JSON.stringify(Object.fromEntries(told), hidden));
}

/** The variable that a refusal says to set. */
function confirmation(told: string): Record<string, string> {
  const [, name = "", value = ""] = /run the command once with (\w+)=([a-z2-7]{12})/.exec(told) ?? [];
  return { [name]: value };
}

/** On a busy machine, this many runs take a long time. */
const LONG = 600_000;

const said = ({ stdout, stderr }: RunResult) => stdout + stderr;

/** The message of a command that fails with this one code, changes nothing anywhere, and sends nothing to `away`. */
async function refusal(command: EngineCommandName, args: readonly string[] = []): Promise<string> {
  const [keys, theirs, before] = [await liveAt(home), await liveAt(away), await recorded()];
  const since = (await away.log()).length;
  const result = await run.run(command, { args: [...args], mayFail: true });
  const told = said(result);
  expect(result.exit, told).not.toBe(0);
  expect([...new Set(told.match(/\[KP-[A-Z-]+\]/g))], told).toEqual(["[KP-WRONG-ACCOUNT]"]);
  expect(await away.log({ since })).toEqual([]);
  expect([await liveAt(home), await liveAt(away)]).toEqual([keys, theirs]);
  expect(await recorded()).toEqual(before);
  return told;
}

/** With the home account, the stack continues as if nothing had happened. */
async function backHome(): Promise<void> {
  const theirs = await liveAt(away);
  await connect(home);
  await run.workspace.setProgram(program(KEYS));
  expect(await requestsAt(home, () => run.runIdle("up"))).toEqual({});
  await run.runIdle("refresh");
  await run.destroy();
  expect(await liveAt(away)).toEqual(theirs);
}

const urn = (kind: string, name: string) => `urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:${kind}::${name}`;

describe("in an account that does not contain the stack's keys", () => {
  test("nothing is created, revoked or forgotten, and the stack then continues in its home account as before", {
    timeout: LONG,
  }, async () => {
    await deploy(KEYS);
    // With the same ids and names as at home, as if the same program were deployed to both.
    for (const name of ["ci", "app", "exact", "stranger"]) await away.state.createKey(name);
    await connect(away);
    for (const body of [
      KEYS,
      `${KEYS}\nnew ApiKey("more");`,
      `${KEYS}\nnew ApiKey("more", { name: "more" });`,
      `${KEYS}\nnew RotatingApiKey("more", { adopt: { id: "100002", key: "kp_somebodys" } });`,
      KEYS.replace('"ci"', '"ci", { rotationTriggers: { n: "2" } }').replace('"app"', '"app", { revokeNow: "100003" }'),
      KEYS.replace('new ApiKey("ci");', ""),
      "",
    ]) {
      await run.workspace.setProgram(program(body));
      await refusal("up");
    }
    await backHome();
  });

  test("no command forgets or revokes anything, even for single resources", { timeout: LONG }, async () => {
    await deploy(KEYS);
    await away.state.createKey("stranger");
    await connect(away);
    await refusal("up");
    await refusal("up", ["--refresh"]);
    await run.workspace.setProgram(program(`${KEYS}\nnew ApiKey("more");`));
    await refusal("up", ["--target", urn("ApiKey", "more")]);
    await run.workspace.setProgram(program(KEYS.replace("new ApiKey", 'new ApiKey("more");\nnew ApiKey')));
    await refusal("up", ["--exclude", urn("Owner", "keyplane")]);
    await refusal("up", ["--replace", urn("RotatingApiKey", "app")]);
    await refusal("refresh");
    for (const kind of ["ApiKey ci", "ApiKey exact", "RotatingApiKey app", "Owner keyplane", "Ledger keyplane"]) {
      const [type = "", name = ""] = kind.split(" ");
      await refusal("refresh", ["--target", urn(type, name)]);
      if (type !== "Owner") await refusal("destroy", ["--target", urn(type, name)]);
    }
    for (const args of [[], ["--refresh"], ["--continue-on-error"]]) await refusal("destroy", args);
    const preview = await requestsAt(away, () => run.run("preview"));
    expect(preview).toEqual({});

    await backHome();
  });

  test("keys that should stay live and ids that wait for revocation are neither forgotten nor revoked", {
    timeout: LONG,
  }, async () => {
    const keys = (args: string) => `
new ApiKey("kept", { revokeOnDelete: false });
new RotatingApiKey("lasting", { revokeOnDelete: false });
new RotatingApiKey("app", { ${args} });`;
    await deploy(keys(""));
    const [id] = (await home.liveKeys()).filter(({ name }) => name.startsWith("app-")).map((key) => `${key.id}`);
    await home.rules.add({ route: `DELETE /api_keys/${id}`, status: 400, count: 100 });
    await run.workspace.setProgram(program(keys(`revokeNow: "${id}"`)));
    await run.run("up", { mayFail: true });
    expect(JSON.stringify(await recorded())).toContain(`"retired":["${id}"]`);
    for (let n = 0; n < 8; n++) await away.state.createKey(`theirs-${n}`);
    expect((await liveAt(away)).map(String)).toContain(id);
    await connect(away);
    await refusal("up");
    await refusal("destroy");
    for (const name of ["kept", "lasting", "app"]) {
      await refusal("destroy", ["--target", urn(name === "kept" ? "ApiKey" : "RotatingApiKey", name)]);
    }
    await home.rules.clear();
    await connect(home);
    await run.run("up");
    expect((await liveAt(home)).map(String)).not.toContain(id);
    await run.runIdle("up");
    await run.run("destroy");
    expect(await home.liveKeys()).toHaveLength(2);
    expect(await liveAt(away)).toHaveLength(8);
  });

  test("a stack whose keys' names do not show an owner is also refused, and continues after a confirmation", {
    timeout: LONG,
  }, async () => {
    const byHand = await home.state.createKey("by-hand");
    const adopt = `{ id: "${byHand.id}", key: new (require("@pulumi/pulumi").Config)().requireSecret("byHand") }`;
    const keys = `new ApiKey("exact", { name: "exact" });\nnew RotatingApiKey("adopted", { adopt: ${adopt} });`;
    await deploy(keys, { "proj:byHand": byHand.key });
    await connect(away);
    for (const name of ["by-hand", "exact"]) await away.state.createKey(name);
    await refusal("up");
    await refusal("destroy");
    await connect({ url: home.url, apiKey: await otherCredential() });
    const env = confirmation(await refusal("up"));
    expect(await requestsAt(home, () => run.run("up", { env }))).toEqual({});
    await run.runIdle("up");
    await run.run("destroy");
    expect((await home.liveKeys()).map(({ name }) => name)).toEqual(["the-next-admin"]);
    expect(await liveAt(away)).toHaveLength(2);
  });

  test("a stack that contains only ProjectReady resources works in any account", async () => {
    const { id } = await home.state.createProject();
    await deploy(`new ProjectReady("quiet", { projectId: "${id}" });`);
    await connect(away);
    expect(await requestsAt(away, () => run.runIdle("up"))).toEqual({});
    await run.run("destroy");
  });
});

describe("under another credential of the same account", () => {
  test("one list in the next run proves the account, a preview shows the change, and later runs use the new credential", {
    timeout: LONG,
  }, async () => {
    await deploy(KEYS);
    await connect({ url: home.url, apiKey: await otherCredential() });
    const preview = await run.run("preview");
    expect(preview.changes).toContain("update keyplane");
    expect(said(preview)).toContain("the credential or the address changed");
    expect(await requestsAt(home, () => run.run("up"))).toEqual({ "GET /api_keys": 1 });
    expect(await requestsAt(home, () => run.runIdle("up"))).toEqual({});
    expect(await requestsAt(home, () => run.runIdle("refresh"))).toEqual({ "GET /api_keys": 1 });

    const [keys] = [(await home.liveKeys()).filter(({ name }) => name !== "the-next-admin")];
    await home.rules.add({ route: "DELETE /api_keys/{key_id}", hold: "after", count: 3 });
    const { done, kill } = run.workspace.start("destroy");
    await home.held.wait(keys.length, 60_000);
    kill();
    await done;
    await home.rules.clear();
    await run.workspace.cancel();
    await run.run("destroy");
    expect((await home.liveKeys()).map(({ name }) => name)).toEqual(["the-next-admin"]);
  });

  test("each run with --target proves the account, and a later full run updates the rest", {
    timeout: LONG,
  }, async () => {
    const keys = (n: number) => `
new ApiKey("ci", { rotationTriggers: { n: "${n}" } });
new ApiKey("more");
new RotatingApiKey("app", { rotationTriggers: { n: "${n}" } });`;
    await deploy(keys(1));
    await connect({ url: home.url, apiKey: await otherCredential() });
    await run.workspace.setProgram(program(keys(2)));
    for (const target of [urn("ApiKey", "ci"), urn("RotatingApiKey", "app")]) {
      const sent = await requestsAt(home, () => run.run("up", { args: ["--target", target] }));
      expect(sent).toMatchObject({ "POST /api_keys": 1, "GET /api_keys": 1 });
    }
    const sent = await requestsAt(home, () => run.run("up"));
    expect(Object.keys(sent).sort()).toEqual(["GET /api_keys"]);
    await run.runIdle("up");
    await run.run("destroy");
    expect((await home.liveKeys()).map(({ name }) => name)).toEqual(["the-next-admin"]);
  });

  test("a refresh also proves the account, and an up --refresh replaces a key that is gone", {
    timeout: LONG,
  }, async () => {
    await deploy(KEYS);
    const [ci] = (await home.liveKeys()).filter(({ name }) => name.startsWith("ci-"));
    await home.state.revokeKey(ci?.id ?? 0);
    await connect({ url: home.url, apiKey: await otherCredential() });
    expect((await run.run("up", { args: ["--refresh"] })).changes).toContain("create ci");
    await run.runIdle("up");
    await run.run("destroy");
    expect((await home.liveKeys()).map(({ name }) => name)).toEqual(["the-next-admin"]);
  });

  test("a stack that has lost all its keys is refused, and continues as the message says", {
    timeout: LONG,
  }, async () => {
    await deploy(KEYS);
    await Promise.all((await liveAt(home)).map((id) => home.state.revokeKey(id)));
    await connect({ url: home.url, apiKey: await otherCredential() });
    const env = confirmation(await refusal("up"));
    await refusal("destroy");
    await run.run("up", { args: ["--refresh"], env });
    expect(await home.liveKeys()).toHaveLength(4);
    await run.runIdle("up");
    await run.runIdle("refresh");
    await Promise.all((await liveAt(home)).slice(1).map((id) => home.state.revokeKey(id)));
    await connect({ url: home.url, apiKey: (await home.secretsEverIssued())[0] ?? "" });
    await refusal("up");
    await run.run("destroy", { env: confirmation(await refusal("destroy")) });
    expect(await recorded()).toEqual({});
  });

  test("revocations that an earlier run or a killed destroy left are carried out", {
    timeout: LONG,
  }, async () => {
    const keys = (args: string) => `new RotatingApiKey("app", { ${args} });\nnew ApiKey("ci");`;
    await deploy(keys(""));
    const [id] = (await home.liveKeys()).filter(({ name }) => name.startsWith("app-")).map((key) => `${key.id}`);
    await home.rules.add({ route: `DELETE /api_keys/${id}`, status: 400, count: 100 });
    await run.workspace.setProgram(program(keys(`revokeNow: "${id}"`)));
    await run.run("up", { mayFail: true });
    expect((await liveAt(home)).map(String)).toContain(id);
    await home.rules.clear();
    await connect({ url: home.url, apiKey: await otherCredential() });
    // One list proves the account, and the other belongs to the sweep that the failed run did not reach.
    expect(await requestsAt(home, () => run.run("up"))).toEqual({ "GET /api_keys": 2, "DELETE /api_keys/{key_id}": 1 });
    expect((await liveAt(home)).map(String)).not.toContain(id);
    await run.run("up");
    await run.runIdle("up");
    await run.run("destroy");
    expect((await home.liveKeys()).map(({ name }) => name)).toEqual(["the-next-admin"]);
  });
});

/** Each time a state is written, its secrets are encrypted again. */
function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && "ciphertext" in value;
}

describe("a stack that never had a key", () => {
  test("takes the next account after a confirmation of its address, after a first up whose credential may not create keys", async () => {
    run = await ExampleRun.create(away, program(KEYS));
    await away.rules.add({ route: "POST /api_keys", status: 403, count: 10 });
    expect((await run.run("up", { mayFail: true })).exit).not.toBe(0);
    const theirs = await liveAt(away);
    await connect(home);
    const env = confirmation(said(await run.run("up", { mayFail: true })));
    await run.run("up", { env });
    expect(await liveAt(away)).toEqual(theirs);
    expect(await liveAt(home)).toHaveLength(3);
    expect(await requestsAt(home, () => run.runIdle("up"))).toEqual({});
    await connect(away);
    await refusal("up");
    await connect(home);
    await run.runIdle("up");
    await run.run("destroy");
    expect(await liveAt(home)).toEqual([]);
  });
});
