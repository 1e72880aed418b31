import { describe, expect, test } from "vitest";
import { StackHarness } from "../unit/resources/harness";
import { PluginEngine } from "./plugin-engine";
import type { DeclaredKey, Flags, Options, Program } from "./state";

const WEEK_MS = 7 * 24 * 3_600_000;
const FAILING: Flags = { failing: ["rotating-0"] };
const BOLD: Flags = { ...FAILING, continueOnError: true };

const rotating = (trigger: number, inputs: DeclaredKey["inputs"] = {}, options: Options = {}): Program => ({
  "rotating-0": { rotating: true, consumed: true, options, inputs: { rotationTriggers: { trigger }, ...inputs } },
});

const start = async () => {
  const harness = await StackHarness.start();
  const engine = new PluginEngine(harness, "dev");
  const outputs = () => engine.state.find(({ doomed }) => !doomed)?.outputs ?? {};
  return { harness, engine, outputs, live: async () => (await harness.liveIds()).map(String).sort() };
};

/** A key whose consumer fails, so that it still has the previous key when the retirement is due. */
const pending = async () => {
  const stack = await start();
  const { engine, harness, outputs } = stack;
  await engine.up(rotating(0));
  const previous = String(outputs().keyId);
  await engine.up(rotating(1), FAILING);
  await harness.clock.pass(WEEK_MS);
  await engine.up(rotating(1), FAILING);
  return { ...stack, previous, current: String(outputs().keyId) };
};

const refuseCreations = (harness: StackHarness) =>
  harness.plane.rules.add({ route: "POST /api_keys", status: 403, count: 50 });

describe("a key that a failed consumer still has", () => {
  test("stays live in a run that continues after errors", async () => {
    const { engine, harness, live, previous, current } = await pending();
    expect(await engine.up(rotating(1), BOLD)).toBe(false);
    expect(await live()).toEqual([previous, current].sort());
    expect(await engine.up(rotating(1))).toBe(true);
    expect(await live(), "its grace begins once all have its successor").toEqual([previous, current].sort());
    for (let round = 0; round < 2; round++) {
      await harness.clock.pass(WEEK_MS);
      expect(await engine.up(rotating(1))).toBe(true);
    }
    expect(await live()).toEqual([current]);
  });

  test("stays live in such a run if a further replacement fails", async () => {
    const { engine, harness, live, previous, current } = await pending();
    await refuseCreations(harness);
    await engine.up(rotating(1, { revokeNow: current }), BOLD);
    expect(await live()).toEqual([previous, current].sort());
  });

  test("stays live in such a run if two replaced resources are pending", async () => {
    const { engine, live, previous, current } = await pending();
    const revoked = rotating(1, { revokeNow: current });
    await engine.up(revoked, FAILING);
    expect(await live()).toHaveLength(3);
    await engine.up(revoked, BOLD);
    expect(await live()).toEqual(expect.arrayContaining([previous, current]));
  });

  test("stays live in such a run if it is the current key that revokeNow names", async () => {
    const { engine, outputs, live } = await start();
    await engine.up(rotating(0));
    const current = String(outputs().keyId);
    const revoked = rotating(0, { revokeNow: current });
    await engine.up(revoked, FAILING);
    await engine.up(revoked, BOLD);
    expect(await live()).toContain(current);
    expect(await engine.up(revoked)).toBe(true);
    expect(await live()).toEqual([outputs().keyId]);
  });

  test("stays live after an upgrade, if a further replacement fails", async () => {
    const { engine, harness, live, previous, current } = await pending();
    engine.version += 1;
    await refuseCreations(harness);
    await engine.up(rotating(1, { revokeNow: current }), BOLD);
    expect(await live()).toEqual([previous, current].sort());
  });
});

describe("a current key that revokeNow names, in a resource that keeps its key,", () => {
  const kept = { revokeOnDelete: false };
  const made = async () => {
    const stack = await start();
    await stack.engine.up(rotating(0, kept));
    const current = String(stack.outputs().keyId);
    return { ...stack, current, revoked: rotating(0, { ...kept, revokeNow: current }) };
  };

  test("is revoked in the run of an upgrade", async () => {
    const { engine, outputs, live, revoked } = await made();
    engine.version += 1;
    expect(await engine.up(revoked)).toBe(true);
    expect(await live()).toEqual([outputs().keyId]);
  });

  test("stays live after an upgrade, in a run that continues after its consumer failed", async () => {
    const { engine, outputs, live, current, revoked } = await made();
    await engine.up(revoked, FAILING);
    engine.version += 1;
    expect(await engine.up(revoked, BOLD)).toBe(false);
    expect(await live()).toContain(current);
    expect(await engine.up(revoked)).toBe(true);
    expect(await live()).toEqual([outputs().keyId]);
  });
});

test("the current key stays live in an upgrade that deletes the old resource first", async () => {
  const { engine, harness, outputs, live } = await start();
  const options = { deleteBeforeReplace: true };
  await engine.up(rotating(0, {}, options));
  await engine.up(rotating(1, {}, options));
  const current = String(outputs().keyId);
  await harness.clock.pass(WEEK_MS);
  engine.version += 1;
  expect(await engine.up(rotating(1, {}, options))).toBe(true);
  expect(await live()).toContain(current);
  expect(outputs()).toMatchObject({ keyId: current });
});

describe("a current key that revokeOnDelete keeps, after a retirement that failed", () => {
  test.each([
    ["a destroy", false],
    ["a destroy", true],
    ["an up without it", false],
    ["an up without it", true],
  ])("stays live in %s (reversed: %s), and the retired key is revoked", async (command, reversed) => {
    const { engine, harness, outputs, live } = await start();
    const kept = { revokeOnDelete: false };
    await engine.up(rotating(0, kept));
    await engine.up(rotating(1, kept));
    await harness.clock.pass(WEEK_MS);
    await engine.up(rotating(1, kept), { crash: { step: 1, when: "saved" } });
    const current = String(outputs().keyId);
    const ended = command === "a destroy" ? await engine.destroy({ reversed }) : await engine.up({}, { reversed });
    expect(ended).toBe(true);
    expect(await live()).toEqual([current]);
  });
});

test.each([[{}], [{ deleteBeforeReplace: true }]])(
  "a key that is renamed and replaced with %j is revoked",
  async (options) => {
    const { engine, outputs, live } = await start();
    const key = (trigger: number): DeclaredKey => ({
      ...{ rotating: false, consumed: true, options },
      inputs: { rotationTriggers: { trigger } },
    });
    await engine.up({ "plain-0": key(0) });
    expect(await engine.up({ "plain-1": { ...key(1), alias: "plain-0" } })).toBe(true);
    expect(await live()).toEqual([outputs().keyId]);
  },
);

test("a previous key that is due is revoked when its resource is renamed", async () => {
  const { engine, harness, outputs, live } = await start();
  await engine.up(rotating(0));
  await engine.up(rotating(1));
  await harness.clock.pass(WEEK_MS);
  const { "rotating-0": key } = rotating(1) as Record<"rotating-0", DeclaredKey>;
  expect(await engine.up({ "rotating-1": { ...key, alias: "rotating-0" } })).toBe(true);
  expect(await live()).toEqual([outputs().keyId]);
});
