import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostsOf } from "./hosts";
import { FRONT_ENDS, messagesOf, StackUnderTest } from "./stack-under-test";

const HOUR = 3_600_000;

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.run.workspace.remove();
  await plane.close();
});

const rotating = (trigger: string, rest = "") =>
  `const web = new RotatingApiKey("web", { rotationTriggers: { n: "${trigger}" }, gracePeriod: "1h" });
exports.id = web.keyId;\n${rest}`;
const plain = (trigger: string, rest = "") =>
  `const ci = new ApiKey("ci", { rotationTriggers: { n: "${trigger}" } });\nconsumer("app", ci);\n${rest}`;

describe.each(FRONT_ENDS)("with the %s", (frontEnd) => {
  test("the grace of a previous key starts when a run has given its successor to the whole stack", async () => {
    const other = 'consumer("other", { keyId: "none" }, { dependsOn: web });';
    stack = await StackUnderTest.create(frontEnd, plane, rotating("1"));
    await stack.up();
    const [old = ""] = await stack.live();
    await stack.setProgram(rotating("2", other));
    await stack.failingUp("other");
    const both = await stack.live();
    expect(both).toHaveLength(2);
    await plane.clock.advance(2 * HOUR);
    // Delivers the successor to everything outside the stack, for the first time.
    await stack.up();
    expect((await stack.run.workspace.outputs()).id).not.toBe(old);
    expect(await stack.live()).toEqual(both);
    await plane.clock.advance(HOUR / 2);
    await stack.up();
    expect(await stack.live()).toEqual(both);
    await plane.clock.advance(HOUR);
    await stack.up();
    expect(await stack.live()).toEqual(both.filter((id) => id !== old));
    const requests = await stack.requestsOf(() => stack.run.destroy());
    expect([...requests].sort()).toEqual(["DELETE /api_keys/{key_id}", "GET /api_keys"]);
  });

  test("a previous key that is used after a failed run has retired it stays live", async () => {
    const consumers = 'consumer("app", web); consumer("other", { keyId: config.require("failing") });';
    stack = await StackUnderTest.create(frontEnd, plane, rotating("1", consumers));
    await stack.up();
    await stack.setProgram(rotating("2", consumers));
    await stack.up();
    const both = await stack.live();
    await plane.clock.advance(2 * HOUR);
    const withoutRevocation = { route: "DELETE /api_keys/{key_id}", status: 500, count: null } as const;
    await plane.rules.add(withoutRevocation);
    await stack.failingUp("other");
    await plane.rules.clear();
    await plane.state.useKey(both[0] ?? "");
    const said = messagesOf(await stack.up());
    expect(await stack.live()).toEqual(both);
    expect(said).toContain(both[0]);
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await stack.live()).toEqual(both.slice(1));
    await stack.run.destroy();
  });

  test("a run that leaves out a consumer revokes no old key, not even one that revokeNow names", async () => {
    const program = (inputs: object) =>
      `const web = new RotatingApiKey("web", ${JSON.stringify(inputs)});\nconsumer("app", web);`;
    stack = await StackUnderTest.create(frontEnd, plane, program({}));
    await stack.up();
    const [old = ""] = await stack.live();
    await stack.setProgram(program({ revokeNow: old }));
    const args = ["--exclude", "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/consumer:Consumer::app"];
    await stack.up({ args, mayFail: true });
    expect(await stack.live()).toContain(old);
    await stack.up();
    expect(await stack.live()).toHaveLength(1);
    expect(await stack.live()).not.toContain(old);
    await stack.run.destroy();
  });

  test.each([
    ["ApiKey", plain],
    ["RotatingApiKey", (trigger: string) => rotating(trigger, 'consumer("app", web);')],
  ])("an %s of another history of the same state stays live", async (_, program) => {
    stack = await StackUnderTest.create(frontEnd, plane, program("1"));
    await stack.up();
    const before = await stack.run.workspace.exportState();
    await stack.setProgram(program("2"));
    await stack.up();
    const current = (await stack.live()).at(-1);
    // This history goes on from the older state, as if the rotation had been made with a copy of the backend.
    await stack.run.workspace.importState(before);
    await stack.setProgram(program("3"));
    const said = messagesOf(await stack.up());
    expect(await stack.live()).toContain(current);
    expect(said).toContain(`npx keyplane revoke ${current}`);
    await stack.up({ args: ["--refresh"] });
    expect(await stack.live()).toContain(current);
  });

  test.each<[name: string, (urn: string) => readonly string[]]>([
    ["-yft URN", (urn) => ["-yft", urn]],
    ["-yf -tURN", (urn) => ["-yf", `-t${urn}`]],
    ["--target-replace URN", (urn) => ["--target-replace", urn]],
    ["--target=URN", (urn) => [`--target=${urn}`]],
    ["--continue-on-error", () => ["--continue-on-error"]],
  ])("with %s, a replaced key stays live while a consumer was left out or has failed", async (_, args) => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.up();
    const [old] = await stack.live();
    await stack.setProgram(plain("2"));
    const options = { args: args(stack.urn("ApiKey", "ci")), mayFail: true };
    // The engine itself keeps the old key of a consumer that fails in the run that replaces it, but not in a later one.
    await stack.upWith("app", options);
    const { exit, diagnostics } = await stack.upWith("app", options);
    expect(exit).not.toBe(0);
    expect(messagesOf({ diagnostics })).toContain('"app" may still have it');
    expect(await stack.live()).toContain(old);
    await stack.up();
    expect(await stack.live()).not.toContain(old);
    await stack.run.destroy();
  });

  test("with --continue-on-error, no key is revoked whose successor does not work, or that a failed resource has hidden", async () => {
    // The exact name is deleted first, so the look that deletions share is from before the other key was replaced.
    const program = (trigger: string, fails = false) => `
exports.id = new ApiKey("ci", { verify: true, rotationTriggers: { n: "${trigger}" } }).keyId;
new ApiKey("exact", { name: "exact", rotationTriggers: { n: "${trigger}" } });
const provider = {
  diff: async (id, olds, news) => ({ changes: olds.fails !== news.fails }),
  create: async (inputs) => ({ id: "tenants", outs: { ...inputs, names: ["inner"] } }),
  update: async (id, olds, news) => { if (news.fails) throw new Error("no answer"); return { outs: { ...olds, ...news } }; },
};
const tenants = new pulumi.dynamic.Resource(provider, "tenants", { fails: ${fails}, names: undefined });
tenants.names.apply((names) => names.map((name) => new ApiKey(name)));`;
    stack = await StackUnderTest.create(frontEnd, plane, program("1"));
    await stack.up();
    const keyOf = async (name: string) => (await plane.liveKeys()).find((key) => key.name.startsWith(name))?.id;
    const [old, inner] = [await keyOf("ci-"), await keyOf("inner-")].map(String);
    await stack.setProgram(program("2", true));
    await plane.rules.add({ route: "GET /projects", status: 500, count: null });
    const { exit, diagnostics } = await stack.up({ args: ["--continue-on-error"], mayFail: true });
    expect(exit).not.toBe(0);
    expect(messagesOf({ diagnostics })).toContain("KP-NOT-READY");
    expect(await stack.live()).toEqual(expect.arrayContaining([old, inner]));
    await plane.rules.clear();
    await stack.setProgram(program("2"));
    await stack.up({ args: ["--continue-on-error"] });
    expect(await stack.live()).toHaveLength(3);
    expect(await stack.live()).not.toContain(old);
    expect(await stack.live()).toContain(inner);
    await stack.run.destroy();
    expect(await stack.live()).toEqual([]);
  });

  test("a replaced key stays live while a consumer has failed, although an alias has changed its name and its parent", async () => {
    const moved = `class Parent extends pulumi.ComponentResource { constructor(name) { super("my:index:Parent", name); } }
const from = { aliases: [{ name: "ci", parent: pulumi.rootStackResource }] };
const key = new ApiKey("moved", { rotationTriggers: { n: "2" } }, { parent: new Parent("parent"), ...from });
consumer("app", key);`;
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.up();
    const [old] = await stack.live();
    await stack.setProgram(moved);
    for (let attempt = 0; attempt < 2; attempt++) await stack.failingUp("app", { args: ["--continue-on-error"] });
    const urns = [stack.urn("ApiKey", "ci"), stack.urn("ApiKey", "moved").replace("proj::", "proj::my:index:Parent$")];
    const { exit } = await stack.up({ args: urns.flatMap((urn) => ["--target", urn]), mayFail: true });
    expect(exit).not.toBe(0);
    expect(await stack.live()).toContain(old);
    await stack.up();
    expect(await stack.live()).not.toContain(old);
    await stack.run.destroy();
  });

  test("a consumer that was updated in the future, by the clock of another machine, may still have the old key", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.up();
    const [old] = await stack.live();
    const { deployment, ...state } = await stack.run.workspace.exportState();
    const later = new Date(Date.now() + HOUR).toISOString();
    const resources = deployment.resources?.map((each) =>
      /::app$/.test(each.urn) ? { ...each, modified: later } : each,
    );
    await stack.run.workspace.importState({ ...state, deployment: { ...deployment, ...(resources && { resources }) } });
    await stack.setProgram(plain("2"));
    const { exit } = await stack.up({ args: ["--target", stack.urn("ApiKey", "ci")], mayFail: true });
    expect(exit).not.toBe(0);
    expect(await stack.live()).toContain(old);
    await stack.up();
    expect(await stack.live()).not.toContain(old);
    await stack.run.destroy();
  });

  test.each([
    ["rotated", rotating("1", 'consumer("app", web);'), rotating("2", 'consumer("app", web);')],
    ["new", 'new ApiKey("first", {});', `new ApiKey("first", {});\n${plain("1")}`],
  ])(
    "a %s key of a run that succeeded stays live after a state from the middle of that run was restored",
    async (_, before, after) => {
      stack = await StackUnderTest.create(frontEnd, plane, before);
      await stack.up();
      const [old = ""] = await stack.live();
      await stack.setProgram(after);
      await plane.rules.add({ route: "POST /api_keys", hold: "after" });
      const { done } = stack.run.workspace.start("up");
      await plane.held.wait(1, 60_000);
      const state = await stack.run.workspace.exportState();
      await plane.held.release();
      await done;
      const delivered = (await stack.live()).filter((id) => id !== old);
      await stack.run.workspace.importState(state);
      const said = messagesOf(await stack.up());
      expect(await stack.live()).toEqual(expect.arrayContaining(delivered));
      for (const id of delivered) expect(said).toContain(`npx keyplane revoke ${id}`);
    },
  );

  test("the answer to another request gives its key to no second resource, and leaves no key behind", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, 'new ApiKey("first", {});');
    await stack.up();
    const [first] = await plane.liveKeys();
    await plane.rules.add({ route: "POST /api_keys", patch: { id: first?.id, name: first?.name } });
    await stack.setProgram(
      'new ApiKey("first", {}); const second = new ApiKey("second", {});\nconsumer("app", second);',
    );
    await stack.up();
    expect(await stack.live()).toHaveLength(2);
    await stack.setProgram('const second = new ApiKey("second", {});\nconsumer("app", second);');
    await stack.up();
    expect(await stack.live()).toHaveLength(1);
    expect(await stack.live()).not.toContain(String(first?.id));
    await stack.run.destroy();
  });

  test("a refresh that finds a consumer changed is no proof that the consumer has the new key", async () => {
    const program = (trigger: string) => `const ci = new ApiKey("ci", { rotationTriggers: { n: "${trigger}" } });
new Consumer("app", { keyId: ci.keyId, reportTo: config.require("reportTo"), fail: failing.includes("app"), reading: "1" });`;
    stack = await StackUnderTest.create(frontEnd, plane, program("1"));
    await stack.up();
    const [old] = await stack.live();
    await stack.setProgram(program("2"));
    const options = { args: ["--continue-on-error"] };
    await stack.failingUp("app", options);
    await stack.run.run("refresh", { inProcess: false });
    await stack.failingUp("app", options);
    expect(await stack.live()).toContain(old);
    // Its update in a run that also refreshes it is no proof, either.
    await stack.upWith("", { args: [...options.args, "--refresh"], mayFail: true });
    expect(await stack.live()).toContain(old);
    await stack.up();
    expect(await stack.live()).not.toContain(old);
    await stack.run.destroy();
  });

  test("a consumer whose update ended half-way may still have the old key", async () => {
    const program = (trigger: string, fail: string) =>
      `const ci = new ApiKey("ci", { rotationTriggers: { n: "${trigger}" } });
new Consumer("app", { keyId: ci.keyId, reportTo: config.require("reportTo"), fail: "${fail}" });`;
    stack = await StackUnderTest.create(frontEnd, plane, program("1", ""));
    await stack.up();
    const [old] = await stack.live();
    await stack.setProgram(program("2", "half-way"));
    await stack.up({ mayFail: true });
    await stack.up({ args: ["--target", stack.urn("ApiKey", "ci")], mayFail: true });
    expect(await stack.live()).toContain(old);
    await stack.setProgram(program("2", ""));
    await stack.up();
    expect(await stack.live()).not.toContain(old);
    await stack.run.destroy();
  });

  test("a key that another stack got by `state move` stays live, and so does one that left the state", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.up();
    const [moved] = await stack.live();
    const state = await stack.run.workspace.exportState();
    const resources = (state.deployment.resources ?? []).filter(({ urn }) => !/::(ci|app)$/.test(urn));
    await stack.run.workspace.importState({ ...state, deployment: { ...state.deployment, resources } });
    const said = messagesOf(await stack.up());
    const live = await stack.live();
    expect(live).toHaveLength(2);
    expect(live).toContain(moved);
    if (frontEnd === "plugin") expect(said).toContain(`npx keyplane revoke ${moved}`);
  });

  test("a key whose trigger is deleted before it is replaced stays live until the consumer has the new one, also if it is due by age", async () => {
    const program = (n: number) => `
const replaceable = {
  diff: async (id, olds, news) => ({ changes: olds.n !== news.n, replaces: olds.n === news.n ? [] : ["n"], deleteBeforeReplace: true }),
  create: async (inputs) => ({ id: "cluster-" + inputs.n, outs: inputs }),
};
const cluster = new pulumi.dynamic.Resource(replaceable, "cluster", { n: ${n} });
const ci = new ApiKey("ci", { rotationTriggers: { cluster: cluster.id }, rotateAfter: "1s" });
consumer("app", ci);`;
    stack = await StackUnderTest.create(frontEnd, plane, program(1));
    await stack.up();
    const [old] = await stack.live();
    await stack.setProgram(program(2));
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", hold: "before" });
    const done = stack.up();
    await plane.held.wait(1, 60_000);
    const [, current] = await stack.live();
    const holds = (await plane.log()).flatMap(({ query }) => /^holds=(\w+)$/.exec(query)?.[1] ?? []);
    expect(holds).toEqual([old, current]);
    await plane.held.release();
    await done;
    expect(await stack.live()).toEqual([current]);
  });

  test("a forced replacement revokes the old key once the consumer has the new one, and not before", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.up();
    const [old] = await stack.live();
    await stack.failingUp("app", { args: ["--replace", stack.urn("ApiKey", "ci")] });
    expect(await stack.live()).toContain(old);
    await stack.up();
    expect(await stack.live()).toHaveLength(1);
    await stack.run.destroy();
  });

  test("the key of a request that is carried out late is revoked by the next up", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.run.workspace.setConfig("keyplane:requestTimeout", "1s");
    await plane.rules.add({ route: "POST /api_keys", fault: "hang", commit: "late" });
    await stack.up();
    const [key] = await stack.live();
    await plane.commitLate();
    expect(await stack.live()).toHaveLength(2);
    await stack.up();
    expect(await stack.live()).toEqual([key]);
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await stack.requestsOf(() => stack.up())).toEqual([]);
    await stack.run.destroy();
  });

  test("the key of a request that is carried out late is revoked although the stack was renamed", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, rotating("1"));
    await stack.run.workspace.setConfig("keyplane:requestTimeout", "1s");
    await plane.rules.add({ route: "POST /api_keys", fault: "hang", commit: "late" });
    await stack.up();
    const [key] = await stack.live();
    await stack.run.workspace.rename("prod");
    await plane.commitLate();
    await stack.up();
    expect(await stack.live()).toEqual([key]);
  });

  test("a creation whose requests are all lost is on record, and a late key is revoked", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await stack.run.workspace.setConfig("keyplane:requestTimeout", "1s");
    await plane.rules.add({ route: "POST /api_keys", fault: "hang", commit: "late", count: 3 });
    const result = await stack.up({ mayFail: true });
    expect(result.exit).not.toBe(0);
    await plane.commitLate();
    expect((await stack.live()).length).toBeGreaterThan(0);
    await stack.up();
    expect(await stack.live()).toHaveLength(1);
    await stack.run.destroy();
  });

  describe.each(["destroy", "up"] as const)("C9: after a kill in a creation, %s leaves no key behind", (next) => {
    test.each([
      ["the engine alone", (of: StackUnderTest) => of.killEngineWhenParked()],
      ["everything", (of: StackUnderTest) => of.killAllWhenParked()],
    ])("if the kill hits %s", async (_, kill) => {
      const first = 'new ApiKey("first", {});\n';
      stack = await StackUnderTest.create(frontEnd, plane, first);
      await stack.up();
      await stack.setProgram(first + plain("1"));
      await plane.rules.add({ route: "POST /api_keys", hold: "after" });
      await kill(stack);
      if (next === "up") {
        await stack.up();
        expect(await stack.live()).toHaveLength(2);
      }
      await stack.run.run("destroy", { inProcess: false });
      expect(await stack.live()).toEqual([]);
    });
  });

  test("C9: after a kill of everything in the first creation of a stack and a destroy, the next up revokes the key", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await plane.rules.add({ route: "POST /api_keys", hold: "after" });
    await stack.killAllWhenParked();
    const [orphan] = await stack.live();
    await stack.run.run("destroy", { inProcess: false });
    await stack.up();
    const live = await stack.live();
    expect(live).toHaveLength(1);
    expect(live).not.toContain(orphan);
    await stack.run.destroy();
  });

  test("C9: after a kill of everything in a rotation, the key is revoked, or reported with its id and the command", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, rotating("1"));
    await stack.up();
    const [old] = await stack.live();
    await stack.setProgram(rotating("2"));
    await plane.rules.add({ route: "POST /api_keys", hold: "after" });
    await stack.killAllWhenParked();
    const [orphan] = (await stack.live()).filter((id) => id !== old);
    const said = messagesOf(await stack.up());
    const live = await stack.live();
    if (frontEnd === "npm package") expect(live).not.toContain(orphan);
    else expect(said).toContain(`npx keyplane revoke ${orphan}`);
    expect(live).toContain(old);
  });

  test("C9: after a kill of the host alone in a creation, the key is revoked, or reported", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, plain("1"));
    await plane.rules.add({ route: "POST /api_keys", hold: "after" });
    const { done } = stack.run.workspace.start("up");
    await plane.held.wait(1, 60_000);
    for (const pid of hostsOf(stack.run.workspace)) process.kill(pid, "SIGKILL");
    await done;
    await plane.held.drop();
    const [orphan] = await stack.live();
    const said = messagesOf(await stack.up());
    const live = await stack.live();
    if (frontEnd === "npm package") expect(live).not.toContain(orphan);
    else expect(said).toContain(`npx keyplane revoke ${orphan}`);
  });

  test.each([true, false])("after `stack rename`, with renamedFrom: %s", async (isSet) => {
    const program = (trigger: string) => rotating(trigger, 'consumer("app", web);');
    stack = await StackUnderTest.create(frontEnd, plane, program("1"));
    await stack.up();
    await stack.setProgram(program("2"));
    await stack.up();
    const both = await stack.live();
    await stack.run.workspace.rename("prod");
    if (isSet) await stack.run.workspace.setConfig("keyplane:renamedFrom", "dev");
    const preview = messagesOf(await stack.run.run("preview", { inProcess: false }));
    for (const id of both) {
      if (isSet) expect(preview).not.toContain(id);
      else expect(preview).toContain(id);
    }
    if (!isSet) expect(preview).toContain("pulumi config set --path 'keyplane:renamedFrom[0]' dev");
    await stack.up();
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await stack.live()).toEqual(isSet ? both.slice(1) : both);
  });
});

test("a second `stack rename` asks for the last name, although keys that did not change recorded the first one", async () => {
  const program = (trigger: string) => `new RotatingApiKey("web", { rotationTriggers: { v: "${trigger}" } });`;
  stack = await StackUnderTest.create("npm package", plane, program("1"));
  await stack.up();
  const renamed = async (name: string, former: string) => {
    await stack.run.workspace.rename(name);
    await stack.run.workspace.setConfig("keyplane:renamedFrom", former);
    return messagesOf(await stack.run.run("preview", { inProcess: false }));
  };
  expect(await renamed("stage", "dev")).not.toContain("does not revoke");
  await stack.up();
  expect(await renamed("live", "stage")).not.toContain("does not revoke");
  const [id] = await stack.live();
  await stack.run.workspace.setConfig("keyplane:renamedFrom", "dev");
  const preview = messagesOf(await stack.run.run("preview", { inProcess: false }));
  expect(preview).toContain(`renamed or copied from stage. This stack does not revoke key ${id}`);
  expect(preview).toContain("pulumi config set --path 'keyplane:renamedFrom[0]' stage`");
  await stack.run.workspace.setConfig("keyplane:renamedFrom", "stage");
  await stack.up();
  await stack.run.destroy();
  expect(await stack.live()).toEqual([]);
});

test("an owner that is replaced by force names the keys that the stack does not revoke any more", async () => {
  const program = (more: string) => `const web = new RotatingApiKey("web"${more});\nconsumer("app", web);`;
  stack = await StackUnderTest.create("npm package", plane, program(""));
  await stack.up();
  const [old] = await stack.live();
  await stack.setProgram(program(`, { revokeNow: "${old}" }`));
  await stack.failingUp("app");
  const both = await stack.live();
  const owner = "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:Owner::keyplane";
  const said = messagesOf(await stack.up({ args: ["--replace", owner] }));
  expect(await stack.live()).toEqual(both);
  for (const id of both) expect(said).toMatch(new RegExp(`does not revoke key [^.]*${id}`));
});

test("an exact name proves nothing: a colleague's key of that name stays live after a lost request", async () => {
  const program = 'new ApiKey("ci", { name: "shared" });';
  stack = await StackUnderTest.create("npm package", plane, program);
  await stack.run.workspace.setConfig("keyplane:requestTimeout", "1s");
  await plane.rules.add({ route: "POST /api_keys", fault: "hang", commit: "never" });
  const done = stack.up({ mayFail: true });
  await expect.poll(() => plane.count("POST", "/api_keys"), { timeout: 60_000 }).toBe(1);
  const { id } = await plane.state.createKey("shared");
  const said = messagesOf(await done);
  expect(said).toContain("KP-UNSETTLED");
  expect(said).toContain(String(id));
  expect(await stack.live()).toEqual([String(id)]);
  expect(await plane.count("DELETE")).toBe(0);
});
