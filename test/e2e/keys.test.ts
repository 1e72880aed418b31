import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, LIST, POST } from "../routes";
import { FRONT_ENDS, messagesOf, ON_CLI, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

const URN = "urn:pulumi:dev::proj::";

describe.each(FRONT_ENDS)("an ApiKey of the %s", (frontEnd) => {
  test("N keys cost N POST and one list, then nothing, then one list, and N DELETE and one list at the end", async () => {
    const N = 5;
    stack = await StackUnderTest.create(
      frontEnd,
      plane,
      `exports.keys = Array.from({ length: ${N} }, (_, n) => new ApiKey("key-" + n, { rotateAfter: "30d" }).key);`,
    );
    expect(await stack.countsOf(() => stack.run("preview"))).toEqual({});
    expect(await stack.countsOf(() => stack.up())).toEqual({ [POST]: N, [LIST]: 1 });
    expect(await stack.workspace.outputs()).toEqual({ keys: Array(N).fill("[secret]") });
    // The user's resources, and the stack and its provider.
    const { resources = [] } = (await stack.workspace.exportState()).deployment;
    expect(resources.filter(({ urn }) => !urn.includes("pulumi:pro") && urn.startsWith(URN))).toHaveLength(N + 1);
    expect(await stack.countsOf(() => stack.runIdle("up"))).toEqual({});
    expect(await stack.countsOf(() => stack.runIdle("preview"))).toEqual({});
    expect(await stack.countsOf(() => stack.runIdle("refresh"))).toEqual({ [LIST]: 1 });
    expect(await stack.countsOf(() => stack.destroy())).toEqual({ [DELETE]: N, [LIST]: 1 });
  });

  test("that is not ready in time is saved with its secret, and the next run waits on and creates no other", async () => {
    stack = await StackUnderTest.create(
      frontEnd,
      plane,
      'consumer("app", new ApiKey("ci", { operationTimeout: "60s" }));',
    );
    await plane.rules.add({ route: POST, operations: [{ action: "apply_config", runningMs: null }] });
    const unready = await stack.up({ mayFail: true });
    expect(unready.exit).not.toBe(0);
    expect(messagesOf(unready)).toContain("KP-NOT-READY");
    const [key] = await stack.expectLiveIsHeld();
    expect(await stack.history()).toEqual([`made ${key}`]);
    const [operation] = (await plane.log()).flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === "operation-started" ? [effect.operationId] : [])),
    );
    await plane.state.endOperation(operation ?? "");
    await stack.up();
    expect(await stack.history()).toEqual([`made ${key}`, `holds ${key}`]);
    await stack.runIdle("up");
    await stack.destroy();
  });

  const used = (n: number) => `
    consumer("app", new ApiKey("ci", { rotationTriggers: { n: "${n}" }, operationTimeout: "60s" }));`;

  /** Deploys a key and replaces it, with a consumer that fails at first. */
  async function replacedBy(replace: () => Promise<unknown>): Promise<void> {
    stack = await StackUnderTest.create(frontEnd, plane, used(1));
    await stack.up();
    const [old] = await stack.live();
    await replace();
    const [, next] = await stack.live();
    await stack.failingUp("app");
    expect(await stack.live(), "after another run that failed").toEqual([old, next]);
    await stack.up();
    expect(await stack.expectLiveIsHeld()).toEqual([next]);
    expect((await stack.history()).slice(-2)).toEqual([`holds ${next}`, `revoked ${old}`]);
    await stack.destroy();
  }

  test("is replaced for its consumer before it is revoked, and stays live while the consumer fails", async () => {
    await replacedBy(async () => {
      await stack.setProgram(used(2));
      await stack.failingUp("app");
    });
  });

  test.skipIf(!ON_CLI)("is replaced by --replace in the same way (the embedded engine has no such flag)", async () => {
    await replacedBy(() => stack.failingUp("app", { args: ["--replace", stack.urn("ApiKey", "ci")] }));
  });
});
