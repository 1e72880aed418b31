import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

let plane: ControlPlane;
const open: ExampleRun[] = [];

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ workspace }) => workspace.remove()));
  await plane.close();
});

const program = (body: string) => ({ "index.js": `const { ApiKey } = require("keyplane");\n${body}\n` });
const live = async () => (await plane.liveKeys()).map(({ id }) => id).sort();

async function start(body: string, stack = "dev"): Promise<ExampleRun> {
  const run = await ExampleRun.create(plane, program(body), { stack });
  open.push(run);
  return run;
}

describe("the name of a key in the program", () => {
  test("can be given to a new key after the old key was renamed with an alias, and both keys stay live", async () => {
    const run = await start('new ApiKey("ci");');
    await run.run("up");
    const [old] = await live();
    const renamed = 'new ApiKey("deploy", {}, { aliases: [{ name: "ci" }] });';
    await run.workspace.setProgram(program(renamed));
    await run.run("up");
    expect(await live()).toEqual([old]);
    // The engine refuses an alias that is also the name of a resource, so the new key is declared in the next run.
    await run.workspace.setProgram(program('new ApiKey("deploy");\nnew ApiKey("ci");'));
    await run.run("up");
    expect(await live()).toHaveLength(2);
    expect(await live()).toContain(old);
    expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
    await run.runIdle("refresh");
    await run.destroy();
  });
});

describe("an exact name", () => {
  const exact = (n: number) => `new ApiKey("ci", { name: "exact", rotationTriggers: { n: ${n} } });`;

  test("is given to the next key, although the service keeps it for a while after the revocation", async () => {
    const run = await start(exact(1));
    await run.run("up");
    const [old] = await live();
    await plane.rules.add({ route: "POST /api_keys", status: 409, count: 3 });
    await run.workspace.setProgram(program(exact(2)));
    await run.run("up");
    expect((await plane.liveKeys()).map(({ name }) => name)).toEqual(["exact"]);
    expect(await live()).not.toContain(old);
    await run.runIdle("up");
    await run.destroy();
  });

  test.each(["in the same run", "in a later run"])(
    "is not taken from another resource of the stack, %s",
    async (when) => {
      const one = (name: string) => `new ApiKey("${name}", { name: "exact", onNameConflict: "revokeUnused" });\n`;
      const run = await start(when === "in a later run" ? one("ci") : "new ApiKey('other');");
      await run.run("up");
      await run.workspace.setProgram(program(one("ci") + one("deploy")));
      const { exit, diagnostics } = await run.run("up", { mayFail: true });
      expect(exit).not.toBe(0);
      const said = diagnostics.map(({ message }) => message).join();
      // In the same run, the service may tell it first.
      expect(said).toMatch(
        /the name exact is taken by key \d+, which belongs to "(ci|deploy)" in this stack|409 Conflict/,
      );
      const { deployment } = await run.workspace.exportState();
      const held = (deployment.resources ?? []).flatMap(({ outputs = {} }) => outputs.keyId ?? []);
      expect((await live()).map(String)).toEqual(held.map(String).sort());
      await run.destroy();
    },
  );
});

describe("a key that should survive its resource", () => {
  test.each([
    ["revokeOnDelete: false", '{ revokeOnDelete: false, rotationTriggers: { n: "N" } }'],
    ["retainOnDelete", '{ rotationTriggers: { n: "N" } }, { retainOnDelete: true }'],
  ])("survives its rotation, its removal, refreshes, new keys and the end of the stack with %s", async (_, args) => {
    const kept = (n: number) => `new ApiKey("kept", ${args.replace("N", String(n))});`;
    const run = await start(kept(1));
    await run.run("up");
    await run.workspace.setProgram(program(kept(2)));
    await run.run("up");
    const both = await live();
    expect(both, "the first one survives its rotation").toHaveLength(2);

    await run.workspace.setProgram(program('new ApiKey("another");'));
    await run.run("up");
    await run.run("up", { args: ["--refresh"] });
    await run.workspace.setProgram(program('new ApiKey("another", { rotationTriggers: { n: "2" } });'));
    await run.run("up");
    await run.run("refresh");
    expect(await live()).toEqual(expect.arrayContaining(both));
    await run.run("destroy");
    expect(await live()).toEqual(both);
    await run.expectNoSecrets();
  });
});

test("a key with an exact name that should survive its resource stays in the state if it cannot be replaced", async () => {
  const key = (n: number, revokeOnDelete: boolean) =>
    program(
      `new ApiKey("kept", { name: "exact", revokeOnDelete: ${revokeOnDelete}, rotationTriggers: { n: "${n}" } });`,
    );
  const run = await start("");
  await run.workspace.setProgram(key(1, false));
  await run.run("up");
  const before = await live();
  for (let attempt = 0; attempt < 2; attempt++) {
    await run.workspace.setProgram(key(2, false));
    const { exit, stdout } = await run.run("up", { mayFail: true });
    expect(exit).not.toBe(0);
    expect(stdout).toContain("KP-NAME-TAKEN");
  }
  expect(await live()).toEqual(before);
  await run.workspace.setProgram(key(1, true));
  await run.run("up");
  expect(await live()).toEqual(before);
  await run.workspace.setProgram(key(2, true));
  await run.run("up");
  expect(await live()).toHaveLength(1);
  await run.run("destroy");
  expect(await live()).toEqual([]);
});

test("a protected key that was removed from the program stays live and in the state, even if the program has no key left", async () => {
  const body = (protect: boolean) => `new ApiKey("kept", {}, { protect: ${protect} });`;
  const run = await start(body(true));
  await run.run("up");
  const keys = await live();
  for (const other of ["", 'new ApiKey("another");']) {
    await run.workspace.setProgram(program(other));
    for (const command of ["up", "up", "destroy"] as const) {
      expect((await run.run(command, { mayFail: true })).exit).not.toBe(0);
      expect(await live()).toEqual(expect.arrayContaining(keys));
    }
  }
  await run.workspace.setProgram(program(body(false)));
  await run.run("up");
  expect(await live()).toEqual(keys);
  await run.destroy();
});

describe("two stacks in one account", () => {
  test("never touch each other's keys, although project, stack and program have the same names in two backends", async () => {
    const [one, two] = [await start('new ApiKey("ci");'), await start('new ApiKey("ci");')];
    await one.run("up");
    await two.run("up");
    const [first, second] = await live();
    await one.workspace.setProgram(program('new ApiKey("ci");\nnew ApiKey("more");'));
    await one.run("up");
    await one.run("up", { args: ["--refresh"] });
    await one.run("destroy");
    expect(await live()).toEqual([second]);
    expect((await plane.log()).flatMap(({ effects }) => effects)).toContainEqual(
      expect.objectContaining({ kind: "key-revoked", id: first }),
    );
    await two.destroy();
  });

  test("never touch each other's keys if one is a copy of the other's state under another name", async () => {
    const body = (quarter: number) => `new ApiKey("ci", { rotationTriggers: { quarter: "${quarter}" } });`;
    const original = await start(body(1));
    await original.run("up");
    const [key] = await live();
    const copy = await start(body(1), "copy");
    const state = JSON.stringify(await original.workspace.exportState());
    const renamed = state.replaceAll("urn:pulumi:dev::", "urn:pulumi:copy::").replaceAll("proj-dev", "proj-copy");
    await copy.workspace.importState(JSON.parse(renamed));

    const first = await copy.run("up");
    expect(first.diagnostics.map(({ message }) => message).join()).toContain(
      `renamed or copied from dev. This stack does not revoke key ${key}`,
    );
    await copy.runIdle("preview");
    expect(await live()).toEqual([key]);
    await copy.workspace.setProgram(program(body(2)));
    const { diagnostics } = await copy.run("up");
    expect(diagnostics.map(({ message }) => message).join()).toContain("created by another stack");
    expect(await live(), "the copy has a key of its own now").toHaveLength(2);
    await copy.run("up", { args: ["--refresh"] });
    await copy.run("destroy");
    expect(await live()).toEqual([key]);
    await original.runIdle("up");
    await original.runIdle("refresh");
    await original.destroy();
  });
});

test("without failures, N keys cost N POST and one list, then nothing, then one list, and N DELETE and one list at the end", async () => {
  const N = 5;
  const run = await start(`for (let n = 0; n < ${N}; n++) new ApiKey("key-" + n);`);
  const counted = async (work: () => Promise<unknown>) => {
    const requests = await run.requestsOf(work);
    return Object.fromEntries([...new Set(requests)].map((each) => [each, requests.filter((r) => r === each).length]));
  };
  expect(await counted(() => run.run("up"))).toEqual({ "POST /api_keys": N, "GET /api_keys": 1 });
  expect(await counted(() => run.runIdle("up"))).toEqual({});
  expect(await counted(() => run.runIdle("preview"))).toEqual({});
  expect(await counted(() => run.run("refresh"))).toEqual({ "GET /api_keys": 1 });
  expect(await counted(() => run.destroy())).toEqual({ "DELETE /api_keys/{key_id}": N, "GET /api_keys": 1 });
  expect((await run.run("up")).changes).toContain("create key-0");
});
