// A program can set the resource option `hooks: { onError }`. If the hook asks for it, the engine calls Create again after
// a creation that was not ready, in the same process, and keeps nothing of the first call.

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

/** Two calls of Create with the same inputs. */
interface FrontEnd {
  create(): Promise<Reached>;
}

const frontEnds: Readonly<Record<string, (kind: string, inputs: Values) => Promise<FrontEnd>>> = {
  async plugin(kind, given) {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked(kind, given);
    return { create: () => plugin.create(kind, inputs) };
  },
  async "dynamic host"(kind, given) {
    const account = { "keyplane:baseUrl": plane.url, "keyplane:apiKey": plane.apiKey };
    const started = await HostUnderTest.start(account);
    host = started;
    const { inputs } = await started.check(kind, {}, { owner: ownerIn(plane), ...given });
    return { create: () => started.create(kind, inputs) };
  },
};

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id));
const keyOf = ({ outputs }: Reached) => String(outputs.keyId);

describe.each(Object.keys(frontEnds))("with the %s, a repeated creation", (name) => {
  const start = (kind: string, inputs: Values = {}) => (frontEnds[name] as (typeof frontEnds)[string])(kind, inputs);

  it.each(["ApiKey", "RotatingApiKey"])("of an %s that is not ready yet goes on with its key", async (kind) => {
    const { create } = await start(kind, { operationTimeout: "1s" });
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
    const first = await create();
    expect(first.notReady).toHaveLength(1);
    const second = await create();
    expect(second.notReady).toHaveLength(1);
    const [operation] = (await plane.log()).flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === "operation-started" ? [effect.operationId] : [])),
    );
    await plane.state.endOperation(operation ?? "");
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
    const { create } = await start(kind, inputs);
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
    const { create } = await start("ApiKey");
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", outcome: "failed" }] });
    const first = await create();
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", count: null, status: 403 });
    const second = await create();
    expect(second.notReady).toEqual([expect.stringMatching(/could not revoke key/)]);
    expect(second).toMatchObject({ id: first.id, outputs: { key: first.outputs.key } });
    expect(await live()).toEqual([keyOf(first)]);
  });
});
