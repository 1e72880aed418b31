import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConsumedKey } from "./consumed-key";

let plane: ControlPlane;
let stack: ConsumedKey;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  stack = await ConsumedKey.create(plane);
});

afterEach(async () => {
  await stack.run.workspace.remove();
  await plane.close();
});

const URN = "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:ApiKey::ci";

/** The consumer fails twice. The old key must stay live until the consumer has taken the new key. */
async function expectOldKeptUntilMoved(replace: () => Promise<unknown>): Promise<void> {
  const [old] = await stack.live();
  await replace();
  const next = (await stack.live()).find((id) => id !== old);
  expect(await stack.live()).toEqual([old, next]);
  await stack.failingUp();
  expect(await stack.live(), "after another run that failed").toEqual([old, next]);
  await stack.up();
  expect(await stack.live()).toEqual([next]);
  expect((await stack.history()).slice(-2)).toEqual([`holds ${next}`, `revoked ${old}`]);
  await stack.run.destroy();
}

describe("the old key of a replacement is kept until its consumer has the new key,", () => {
  test("if --replace forces the replacement and the key was never used", async () => {
    await stack.up();
    await expectOldKeptUntilMoved(() => stack.failingUp({ args: ["--replace", URN] }));
  });

  test("if --replace forces the replacement in a stack that was never completed", async () => {
    await stack.run.workspace.setConfig("failLater", "true");
    expect((await stack.up({ mayFail: true })).exit).not.toBe(0);
    expect((await stack.history()).at(-1)).toMatch(/^holds /);
    await stack.run.workspace.setConfig("failLater", "false");
    await expectOldKeptUntilMoved(() => stack.failingUp({ args: ["--replace", URN] }));
  });

  test("if a replacementTrigger forces the replacement", async () => {
    await stack.setKey({ options: { replacementTrigger: "1" } });
    await stack.up();
    await stack.setKey({ options: { replacementTrigger: "2" } });
    await expectOldKeptUntilMoved(() => stack.failingUp());
  });

  test("if a rotation causes the replacement", async () => {
    await stack.setKey({ rotationTriggers: { quarter: "1" } });
    await stack.up();
    await stack.setKey({ rotationTriggers: { quarter: "2" } });
    await expectOldKeptUntilMoved(() => stack.failingUp());
  });

  test("if the new key is not ready at first", async () => {
    const key = (quarter: string) => ({ rotationTriggers: { quarter }, operationTimeout: "60s" });
    await stack.setKey(key("1"));
    await stack.up();
    await stack.setKey(key("2"));
    await plane.rules.add({ route: "POST /api_keys", operations: [{ action: "apply_config", runningMs: null }] });
    const unready = await stack.up({ mayFail: true });
    expect(unready.diagnostics.map(({ message }) => message).join()).toContain("The key is saved with its secret");
    const [operation] = (await plane.log()).flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === "operation-started" ? [effect.operationId] : [])),
    );
    await plane.state.endOperation(operation ?? "");
    await expectOldKeptUntilMoved(() => stack.failingUp());
    expect(await plane.count("POST", "/api_keys")).toBe(2);
  });
});
