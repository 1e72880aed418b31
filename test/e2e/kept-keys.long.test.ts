import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, POST } from "../routes";
import { type FrontEnd, messagesOf, ON_CLI, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
const open: StackUnderTest[] = [];

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ workspace }) => workspace.remove()));
  await plane.close();
});

async function start(frontEnd: FrontEnd, program: string, stack = "dev"): Promise<StackUnderTest> {
  const created = await StackUnderTest.create(frontEnd, plane, program, { stack });
  open.push(created);
  return created;
}

const triggered = (n: number) => `new ApiKey("ci", { rotationTriggers: { n: "${n}" } });`;

describe.each(["npm package"] as const)("with the %s", (frontEnd) => {
  test("the name of a key in the program can be given to a new key after the old one was renamed with an alias", async () => {
    const stack = await start(frontEnd, 'new ApiKey("ci");');
    await stack.up();
    const [old] = await stack.live();
    await stack.deploy('new ApiKey("deploy", {}, { aliases: [{ name: "ci" }] });');
    expect(await stack.live()).toEqual([old]);
    // The engine refuses an alias that is also the name of a resource, so the new key is declared in the next run.
    await stack.deploy('new ApiKey("deploy");\nnew ApiKey("ci");');
    expect(await stack.expectLiveIsHeld()).toEqual([old, expect.any(String)]);
    expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);
    await stack.runIdle("refresh");
    await stack.destroy();
  });

  test("two stacks with the same names in one account never touch each other's keys", async () => {
    const [one, two] = [await start(frontEnd, triggered(1)), await start(frontEnd, triggered(1))];
    await one.up();
    const [first] = await one.live();
    await two.up();
    const others = (await two.live()).filter((id) => id !== first);
    await one.deploy(triggered(2));
    await one.up({ args: ["--refresh"] });
    await one.run("destroy");
    expect(await two.live()).toEqual(others);
    await two.runIdle("refresh");
    await two.destroy();
  });

  test("a copied state manages the same keys under its own names, replaces them and revokes them", async () => {
    const original = await start(frontEnd, triggered(1));
    await original.up();
    const keys = await original.live();
    const copy = await start(frontEnd, triggered(1), "copy");
    const state = await readFile(original.workspace.stateFile, "utf8");
    const renamed = state
      .replaceAll("urn:pulumi:dev::", "urn:pulumi:copy::")
      .replaceAll(/proj([/-])dev/g, "proj$1copy");
    await mkdir(dirname(copy.workspace.stateFile), { recursive: true });
    await writeFile(copy.workspace.stateFile, renamed);
    await copy.runIdle("up");
    expect(await copy.live()).toEqual(keys);
    await copy.deploy(triggered(2));
    expect(await copy.expectLiveIsHeld()).not.toEqual(keys);
    await copy.destroy();
  });

  test("keys with revokeOnDelete: false survive their rotation, their removal, refreshes and the end of the stack", async () => {
    const kept = (n: number) => {
      const given = `{ revokeOnDelete: false, rotationTriggers: { n: "${n}" } }`;
      return `new ApiKey("kept", ${given}); new RotatingApiKey("lasting", ${given});`;
    };
    const stack = await start(frontEnd, kept(1));
    await stack.up();
    await stack.deploy(kept(2));
    const keys = await stack.live();
    expect(keys).toHaveLength(4);
    await stack.deploy('new ApiKey("another");');
    await stack.up({ args: ["--refresh"] });
    await stack.deploy('new ApiKey("another", { rotationTriggers: { n: "2" } });');
    expect(await stack.live()).toEqual(expect.arrayContaining(keys));
    await stack.run("destroy");
    expect(await stack.live()).toEqual(keys);
    await stack.expectNoSecrets();
  });

  test("a destroy straight after revokeOnDelete was set revokes the keys, because it uses the state", async () => {
    const stack = await start(frontEnd, 'new ApiKey("ci");');
    await stack.up();
    await stack.setProgram('new ApiKey("ci", { revokeOnDelete: false });');
    await stack.destroy();
  });

  test("a protected key that was removed from the program stays live and in the state", async () => {
    const body = (protect: boolean) => `new ApiKey("kept", {}, { protect: ${protect} });`;
    const stack = await start(frontEnd, body(true));
    await stack.up();
    const keys = await stack.live();
    await stack.setProgram("");
    for (const command of ["up", "destroy"] as const) {
      expect((await stack.run(command, { mayFail: true })).exit).not.toBe(0);
      expect(await stack.expectLiveIsHeld()).toEqual(keys);
    }
    await stack.deploy(body(false));
    await stack.destroy();
  });
});

describe.each(["plugin"] as const)("an exact name of the %s", (frontEnd) => {
  const exact = (n: number, more = "") => `new ApiKey("ci", { name: "exact", rotationTriggers: { n: ${n} } ${more} });`;

  test("is given to the next key, although the service keeps it for a while, and stays if the program drops it", async () => {
    const stack = await start(frontEnd, exact(1));
    await stack.up();
    const [old] = await stack.live();
    await plane.rules.add({ route: POST, status: 409, count: 3 });
    await stack.deploy(exact(2));
    expect((await plane.liveKeys()).map(({ name }) => name)).toEqual(["exact"]);
    const keys = await stack.expectLiveIsHeld();
    expect(keys).not.toContain(old);
    await stack.runIdle("up");
    expect(await stack.requestsOf(() => stack.deploy('new ApiKey("ci", { rotationTriggers: { n: 2 } });'))).toEqual([]);
    expect(await stack.live()).toEqual(keys);
    await stack.destroy();
  });

  test.skipIf(!ON_CLI)(
    "of a key that cannot be revoked ends an up with --continue-on-error (which the embedded engine has not)",
    async () => {
      const stack = await start(frontEnd, exact(1));
      await stack.up();
      const [old] = await stack.live();
      await plane.rules.add({ route: DELETE, status: 403, count: null });
      await stack.setProgram(exact(2));
      const failed = await stack.run("up", { args: ["--continue-on-error"], mayFail: true });
      expect(failed.exit).not.toBe(0);
      expect(messagesOf(failed)).toContain("KP-AUTH");
      expect(await stack.expectLiveIsHeld()).toEqual([old]);
      await plane.rules.clear();
      await stack.up();
      expect(await stack.expectLiveIsHeld()).not.toContain(old);
      await stack.runIdle("up");
      await stack.destroy();
    },
  );

  test("of a key that should survive stays taken, and the key stays in the state", async () => {
    const kept = (n: number, revokeOnDelete: boolean) => exact(n, `, revokeOnDelete: ${revokeOnDelete}`);
    const stack = await start(frontEnd, kept(1, false));
    await stack.up();
    const keys = await stack.live();
    const refused = await stack.deploy(kept(2, false), { mayFail: true });
    expect(refused.exit).not.toBe(0);
    expect(messagesOf(refused)).toContain("KP-NAME-TAKEN");
    expect(await stack.expectLiveIsHeld()).toEqual(keys);
    await stack.deploy(kept(1, true));
    await stack.deploy(kept(2, true));
    expect(await stack.expectLiveIsHeld()).toHaveLength(1);
    await stack.destroy();
  });
});
