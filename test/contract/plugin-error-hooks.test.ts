// A program can set the resource option `hooks: { onError }`. If the hook asks for it, the engine repeats a creation or an
// update that was not ready: it calls the same method with the same values, in the same process, and keeps nothing of the
// first call.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { HostUnderTest, ownerIn } from "./host-harness";
import { PluginUnderTest, stopPlugins } from "./plugin-harness";
import type { Reached, Values } from "./recording-engine";

const POST = "POST /api_keys";

let plane: ControlPlane;
let host: HostUnderTest | undefined;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(async () => {
  await host?.stop();
  host = undefined;
  await stopPlugins();
  await plane.close();
});

interface FrontEnd {
  /** Calls Create, with the same inputs each time. */
  create(): Promise<Reached>;
  /** Calls Update of what was made, with other inputs. */
  update(made: Reached, inputs: Values): Promise<Reached>;
}

const frontEnds: Readonly<Record<string, (kind: string, inputs: Values) => Promise<FrontEnd>>> = {
  async plugin(kind, given) {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked(kind, given);
    return {
      create: () => plugin.create(kind, inputs),
      async update(made, changed) {
        const news = await plugin.checked(kind, changed, inputs);
        return plugin.update({ kind, name: "ci", inputs, ...made }, news);
      },
    };
  },
  async "dynamic host"(kind, given) {
    const account = { "keyplane:baseUrl": plane.url, "keyplane:apiKey": plane.apiKey };
    const started = await HostUnderTest.start(account);
    host = started;
    const owner = ownerIn(plane);
    const { inputs } = await started.check(kind, {}, { owner, ...given });
    return {
      create: () => started.create(kind, inputs),
      async update({ id, outputs }, changed) {
        const { inputs: news } = await started.check(kind, inputs, { owner, ...changed });
        return started.update(kind, id, outputs, news);
      },
    };
  },
};

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id));
const keyOf = ({ outputs }: Reached) => String(outputs.keyId);
const start = (name: string, kind: string, inputs: Values) =>
  (frontEnds[name] as (typeof frontEnds)[string])(kind, inputs);

/** Ends the operation that a creation has started. */
async function endOperation(): Promise<void> {
  const [operation] = (await plane.log()).flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "operation-started" ? [effect.operationId] : [])),
  );
  await plane.state.endOperation(operation ?? "");
}

describe.each(Object.keys(frontEnds))("with the %s, a repeated creation", (name) => {
  it.each(["ApiKey", "RotatingApiKey"])("of an %s that is not ready yet goes on with its key", async (kind) => {
    const { create } = await start(name, kind, { operationTimeout: "1s" });
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
    const first = await create();
    expect(first.notReady).toHaveLength(1);
    const second = await create();
    expect(second.notReady).toHaveLength(1);
    await endOperation();
    const third = await create();
    expect(third.notReady).toBeUndefined();
    expect(third).toMatchObject({ id: first.id, outputs: { key: first.outputs.key } });
    expect(await plane.count("POST", "/api_keys")).toBe(1);
    expect(await live()).toEqual([keyOf(third)]);
  });

  it.each([
    ["ApiKey", {}],
    ["ApiKey", { name: "exact" }],
    ["RotatingApiKey", {}],
  ])("of an %s %j that failed gets another key, and the first one does not stay", async (kind, inputs) => {
    const { create } = await start(name, kind, inputs);
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", outcome: "failed" }] });
    // A RotatingApiKey revokes a key that it has not delivered itself, and is not recorded.
    const first = await create().catch(() => undefined);
    expect(first?.notReady?.length).toBe(kind === "ApiKey" ? 1 : undefined);
    const second = await create();
    expect(second.notReady).toBeUndefined();
    expect(await plane.count("POST", "/api_keys")).toBe(2);
    expect(await live()).toEqual([keyOf(second)]);
  });

  it("that fails in another way still records the first key", async () => {
    const { create } = await start(name, "ApiKey", {});
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", outcome: "failed" }] });
    const first = await create();
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", count: null, status: 403 });
    const second = await create();
    expect(second.notReady).toEqual([expect.stringMatching(/could not revoke key/)]);
    expect(second).toMatchObject({ id: first.id, outputs: { key: first.outputs.key } });
    expect(await live()).toEqual([keyOf(first)]);
  });
});

it.each(Object.keys(frontEnds))(
  "with the %s, a repeated update that has rotated a key goes on with the new one",
  async (name) => {
    const before = { operationTimeout: "1s", rotationTriggers: { at: "1" } };
    const { create, update } = await start(name, "RotatingApiKey", before);
    const made = await create();
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
    const again = () => update(made, { ...before, rotationTriggers: { at: "2" } });
    const first = await again();
    expect(first.notReady).toHaveLength(1);
    await endOperation();
    const second = await again();
    expect(second.notReady).toBeUndefined();
    expect(second.outputs).toMatchObject({ key: first.outputs.key, previousKeyId: keyOf(made) });
    expect(await live()).toEqual([keyOf(second), keyOf(made)]);
  },
);
