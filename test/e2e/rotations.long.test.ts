import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, LIST, POST } from "../routes";
import { DAY, HOUR } from "../times";
import { FRONT_ENDS, messagesOf, ON_CLI, StackUnderTest } from "./stack-under-test";

/** On a busy machine, this many runs take a long time. */
const LONG = 300_000;

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

/** A rotating key with a consumer. */
const program = (n: number, args = "", options = "{}") =>
  `const key = new RotatingApiKey("app", { rotationTriggers: { n: "${n}" }, gracePeriod: "1h", ${args} }, ${options});
  consumer("serves", key);
  exports.keys = [key.key, key.previousKey];`;

/** A stack whose key has rotated once. Returns the ids of the previous and the current key. */
async function rotatedOnce(frontEnd: (typeof FRONT_ENDS)[number], args = "", options = "{}"): Promise<string[]> {
  stack = await StackUnderTest.create(frontEnd, plane, program(1, args, options));
  await stack.up();
  await stack.deploy(program(2, args, options));
  return stack.live();
}

async function statusOf(key: unknown): Promise<number> {
  const answer = await fetch(`${plane.url}/projects`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

describe.each(FRONT_ENDS)("a RotatingApiKey of the %s", (frontEnd) => {
  test(
    "N keys that are due take N POST and one list, their retirement N DELETE and one list, and runs in between nothing",
    async () => {
      const N = 5;
      const keys = `for (let n = 0; n < ${N}; n++) new RotatingApiKey("key-" + n, { rotateAfter: "30d" });`;
      stack = await StackUnderTest.create(frontEnd, plane, keys);
      expect(await stack.countsOf(() => stack.up())).toEqual({ [POST]: N, [LIST]: 1 });
      expect(await stack.countsOf(() => stack.runIdle("up"))).toEqual({});
      await plane.clock.advance(31 * DAY);
      const preview = await stack.run("preview");
      expect(preview.changes).toHaveLength(N);
      expect(preview.stdout + preview.stderr).toMatch(/due since \S+Z: 31d old/);
      expect((await stack.run("refresh", { args: ["--expect-no-changes"] })).exit).toBe(0);
      expect(await stack.countsOf(() => stack.up())).toEqual({ [POST]: N, [LIST]: 1 });
      await plane.clock.advance(HOUR);
      expect(await stack.countsOf(() => stack.runIdle("up"))).toEqual({});
      expect(await stack.countsOf(() => stack.runIdle("refresh"))).toEqual({ [LIST]: 1 });
      await plane.clock.advance(2 * DAY);
      expect(await stack.countsOf(() => stack.run("preview"))).toEqual({});
      expect(await stack.countsOf(() => stack.up())).toEqual({ [DELETE]: N, [LIST]: 1 });
      expect(await stack.expectLiveIsHeld()).toHaveLength(N);
      await stack.runIdle("up");
      await stack.destroy();
    },
    LONG,
  );

  test("has two secrets that are ciphertext in the state, and work until their key is revoked", async () => {
    await rotatedOnce(frontEnd);
    const { keys } = (await stack.workspace.outputs({ showSecrets: true })) as { keys: string[] };
    expect(await Promise.all(keys.map(statusOf))).toEqual([200, 200]);
    await stack.expectNoSecrets();
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await Promise.all(keys.map(statusOf))).toEqual([200, 401]);
    await stack.destroy();
  });

  test.skipIf(!ON_CLI)(
    "keeps the previous key while a consumer fails or is left out (which the embedded engine cannot), and its grace counts from the first whole run",
    async () => {
      stack = await StackUnderTest.create(frontEnd, plane, program(1));
      await stack.up();
      const [old] = await stack.live();
      await stack.setProgram(program(2));
      await stack.failingUp("serves");
      const both = await stack.live();
      expect(both).toHaveLength(2);
      const target = { args: ["--target", stack.urn("RotatingApiKey", "app")] };
      // Each is due by the clock.
      await plane.clock.advance(2 * HOUR);
      await stack.up(target);
      await plane.clock.advance(2 * HOUR);
      await stack.failingUp("serves");
      await plane.clock.advance(2 * HOUR);
      await stack.failingUp("serves", { args: ["--continue-on-error"] });
      expect(await stack.live()).toEqual(both);
      await plane.clock.advance(2 * HOUR);
      await stack.up();
      expect(await stack.live()).toEqual(both);
      await plane.clock.advance(2 * HOUR);
      await stack.up();
      const [current] = await stack.expectLiveIsHeld();
      expect(await stack.history()).toEqual([
        ...[`made ${old}`, `holds ${old}`, `made ${current}`, `holds ${current}`, `revoked ${old}`],
      ]);
      await stack.runIdle("up");
      await stack.destroy();
    },
    LONG,
  );

  test("keeps its previous key with a warning while the Pulumi CLI cannot tell the history, and the run goes on", async () => {
    const both = await rotatedOnce(frontEnd);
    await plane.clock.advance(2 * HOUR);
    const { diagnostics } = await stack.up({ env: { KEYPLANE_PULUMI: "/nowhere/pulumi" } });
    const warnings = diagnostics.filter(({ severity }) => severity === "warning");
    expect(messagesOf({ diagnostics: warnings })).toContain(`key ${both[0]} `);
    expect(await stack.expectLiveIsHeld()).toEqual(both);
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await stack.expectLiveIsHeld()).toEqual(both.slice(1));
    await stack.destroy();
  });

  test("revokeNow replaces a current key and revokes it in one run, and revokes a previous key at once", async () => {
    const [previous, current] = await rotatedOnce(frontEnd);
    const now = (id = "") => program(2, `revokeNow: "${id}"`);
    expect(await stack.countsOf(() => stack.deploy(now(current)))).toEqual({ [POST]: 1, [LIST]: 1, [DELETE]: 1 });
    expect((await stack.history()).at(-1)).toMatch(/^holds /);
    const [kept, next] = await stack.expectLiveIsHeld();
    expect([kept, next]).toEqual([previous, expect.any(String)]);
    expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);
    expect(await stack.countsOf(() => stack.deploy(now(previous)))).toMatchObject({ [DELETE]: 1 });
    expect(await stack.expectLiveIsHeld()).toEqual([next]);
    const unknown = await stack.deploy(now("no-such-key"), { mayFail: true });
    expect(unknown.exit).not.toBe(0);
    expect(messagesOf(unknown)).toContain("KP-INPUT");
    await stack.destroy();
  });

  test("that is protected rotates and retires its previous key in place", async () => {
    const options = "{ protect: true }";
    await rotatedOnce(frontEnd, "", options);
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await stack.expectLiveIsHeld()).toHaveLength(1);
    await stack.deploy(program(2, "", "{}"));
    await stack.destroy();
  });

  test.each([
    ["quietPeriod", 'quietPeriod: "3d"', 'quietPeriod: "1h"'],
    ["maxOverlap", 'quietPeriod: "3d"', 'quietPeriod: "3d", maxOverlap: "1h"'],
  ])("keeps a used previous key, and a shortened %s takes effect in the next run", async (_, long, short) => {
    const [old] = await rotatedOnce(frontEnd, long);
    await plane.clock.advance(2 * HOUR);
    await plane.state.useKey(Number(old));
    expect(messagesOf(await stack.up())).toContain("was last used");
    await plane.clock.advance(2 * HOUR);
    expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);
    expect(await stack.requestsOf(() => stack.deploy(program(2, short)))).toEqual([LIST, DELETE]);
    expect(await stack.expectLiveIsHeld()).not.toContain(old);
    await stack.runIdle("up");
    await stack.destroy();
  });
});

test(
  "keyplane's own key is replaced in three steps, and is not rotated without selfRotation",
  async () => {
    stack = await StackUnderTest.create("npm package", plane, program(1));
    const { workspace } = stack;
    await stack.up();
    const takeOver = async () => {
      const { keys } = (await workspace.outputs({ showSecrets: true })) as { keys: string[] };
      await workspace.setConfig("keyplane:apiKey", keys[0] ?? "", { secret: true });
    };
    await takeOver();
    const refused = await stack.deploy(program(2), { mayFail: true });
    expect(refused.exit).not.toBe(0);
    expect(messagesOf(refused)).toContain("KP-OWN-CREDENTIAL");
    expect(await stack.live()).toHaveLength(1);

    const self = "selfRotation: true";
    expect(messagesOf(await stack.deploy(program(2, self)))).toMatch(
      /\(1\) export .*\(2\) give it to keyplane: .*\(3\) run/,
    );
    const [old] = await stack.live();
    await plane.clock.advance(8 * DAY);
    expect(messagesOf(await stack.up())).toContain(`key ${old} is due to be revoked, but keyplane still authenticates`);
    expect(await stack.live()).toHaveLength(2);
    await takeOver();
    await plane.clock.advance(2 * HOUR);
    await stack.up();
    expect(await stack.expectLiveIsHeld()).not.toContain(old);
    await workspace.setConfig("keyplane:apiKey", plane.apiKey, { secret: true });
    // A destroy runs no program, and the CLI uses the configuration of the last `up`.
    await stack.up();
    await stack.destroy();
  },
  LONG,
);
