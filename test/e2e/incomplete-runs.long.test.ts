import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const DAY = 86_400_000;

/** The stack's configuration declares the keys with their resource types, and which consumer receives which key. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey } = require("keyplane");
const { Consumer } = require("consumer");

const config = new pulumi.Config();
const { keys = {}, rotating = {}, consumers = {}, failing = [], broken = false } = config.getObject("declared") ?? {};
const reportTo = config.require("reportTo");
const all = {};
for (const [name, args] of Object.entries(keys)) all[name] = new ApiKey(name, args);
for (const [name, args] of Object.entries(rotating)) all[name] = new RotatingApiKey(name, args);
for (const [name, key] of Object.entries(consumers)) {
  new Consumer(name, { keyId: all[key].keyId, reportTo, fail: failing.includes(name) });
}
exports.ids = Object.fromEntries(Object.entries(all).map(([name, key]) => [name, key.keyId]));
if (broken) Object.values(all)[0].keyId.apply(() => { throw new Error("the program is broken"); });
`;

let plane: ControlPlane;
let example: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  const packages = { consumer: join(__dirname, "consumer") };
  example = await ExampleRun.create(plane, { "index.js": PROGRAM }, { packages, config: { reportTo: plane.url } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

const declare = (declared: object) => example.workspace.setConfig("declared", JSON.stringify(declared));
const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
const idsOf = async () => (await example.workspace.outputs()).ids as Record<string, string>;

async function up(...args: string[]): Promise<string> {
  const { exit, stdout, stderr } = await example.run("up", { args, mayFail: true });
  return `exit ${exit}\n${stdout}${stderr}`;
}

async function urnOf(name: string): Promise<string> {
  const { deployment } = await example.workspace.exportState();
  return deployment.resources?.find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? expect.fail(`no ${name}`);
}

/** What happened to the keys and which consumer received which, in order. */
async function history(): Promise<string[]> {
  return (await plane.log()).flatMap(({ query, effects }) => {
    const held = /^holds=(\w+)$/.exec(query);
    if (held) return [`holds ${held[1]}`];
    return effects.flatMap(({ kind, ...effect }) => {
      if (kind === "key-created") return [`made ${"id" in effect && effect.id}`];
      return kind === "key-revoked" ? [`revoked ${"id" in effect && effect.id}`] : [];
    });
  });
}

describe("a single key", () => {
  test("is revoked when a run with --target removes it from the program", async () => {
    await declare({ keys: { a: {}, b: {} } });
    await up();
    const { a } = await idsOf();
    const b = await urnOf("b");
    await declare({ keys: { a: {} } });
    expect(await up("--target", b)).toMatch(/^exit 0/);
    expect(await live()).toEqual([a]);
    await example.run("up");
    expect(await example.requestsOf(() => example.runIdle("up"))).toEqual([]);
    await example.destroy();
  });

  test("can be destroyed on its own, and the next up creates it again", async () => {
    await declare({ keys: { a: {} }, rotating: { b: {} } });
    await up();
    const { a } = await idsOf();
    await example.run("destroy", { args: ["--target", await urnOf("b")] });
    expect(await live()).toEqual([a]);
    expect((await example.run("up")).changes).toContain("create b");
    expect(await live()).toHaveLength(2);
    await example.destroy();
  });

  test("can be removed from the state on its own, and is then never revoked", async () => {
    await declare({ keys: { a: {}, b: {} } });
    await up();
    const { a, b } = await idsOf();
    await example.workspace.command(["state", "delete", await urnOf("b")], { args: ["--yes"] });
    await declare({ keys: { a: {} } });
    await up();
    await declare({ keys: { a: {}, c: {} } });
    await up();
    await up("--refresh");
    expect(await live()).toEqual([a, b, (await idsOf()).c].sort());
    const { stdout } = await example.run("destroy");
    expect(await live()).toEqual([b]);
    expect(stdout).toMatch(new RegExp(`key ${b} .*stays live: .*state delete`));
  });
});

describe("a consumer that fails", () => {
  test("keeps a rotated key through any number of incomplete runs, until it has the next key", async () => {
    const first = { rotating: { app: { rotationTriggers: { n: 1 } } }, consumers: { one: "app", two: "app" } };
    await declare(first);
    await up();
    const old = (await idsOf()).app;
    const rotated = { ...first, rotating: { app: { rotationTriggers: { n: 2 } } } };
    await declare({ ...rotated, failing: ["one"] });
    await up("--continue-on-error");
    await plane.clock.advance(8 * DAY);
    const app = await urnOf("app");
    for (const args of [
      ["--continue-on-error"],
      ["--continue-on-error", "--target", app, "--target-dependents"],
      ["--target", app],
      [],
      ["--continue-on-error", "--exclude", await urnOf("two")],
    ]) {
      await up(...args);
      expect(await live(), args.join(" ")).toContain(old);
    }
    await declare(rotated);
    await up();
    const { app: current } = await idsOf();
    expect(await live(), "its grace begins with the first complete run").toEqual([old, current]);
    await plane.clock.advance(8 * DAY);
    await up();
    expect(await live()).toEqual([current]);
    expect((await history()).slice(-2)).toEqual([`holds ${current}`, `revoked ${old}`]);
    expect(await example.requestsOf(() => example.runIdle("up"))).toEqual([]);
  });

  test("also keeps a compromised key, and the key that it received in the meantime", async () => {
    const first = { rotating: { app: {} }, consumers: { one: "app", two: "app" } };
    await declare(first);
    await up();
    const old = (await idsOf()).app;
    const revoking = { ...first, rotating: { app: { revokeNow: old } } };
    await declare({ ...revoking, failing: ["one"] });
    for (const args of [["--continue-on-error"], ["--continue-on-error"], [], ["--target", await urnOf("app")]]) {
      await up(...args);
      expect(await live(), args.join(" ")).toContain(old);
    }
    // The engine is killed at the end of the run, so no state contains what it did.
    const before = await example.workspace.exportState();
    await declare(revoking);
    await up("--target", await urnOf("two"));
    await example.workspace.importState(before);
    expect(await live()).toContain(old);
    await up();
    const { app: current } = await idsOf();
    expect(await live()).toEqual([current]);
    expect(await example.requestsOf(() => example.runIdle("up"))).toEqual([]);
    await example.destroy();
  });

  test("keeps its key if the program fails after it has declared everything", async () => {
    const first = { rotating: { app: {} }, consumers: { one: "app" } };
    await declare(first);
    await up();
    const old = (await idsOf()).app;
    const revoking = { rotating: { app: { revokeNow: old } } };
    await declare({ ...revoking, broken: true });
    expect(await up()).toMatch(/the program is broken/);
    expect(await live()).toContain(old);
    await declare({ ...first, ...revoking });
    await up();
    expect(await live()).toEqual([(await idsOf()).app]);
  });
});
