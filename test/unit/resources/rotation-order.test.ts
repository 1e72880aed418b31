import { expect, it } from "vitest";
import { DAY, RotatingStack } from "./rotating-stack";

const first = { rotationTriggers: { quarter: "Q1" } };
const second = { rotationTriggers: { quarter: "Q2" } };

it("a compromised key is not revoked while consumers cannot get its successor", async () => {
  const stack = await RotatingStack.start(first);
  const { current } = stack;
  const { plane, clock } = stack.harness;
  const operation = { action: "start_compute", runningMs: DAY, outcome: "failed" };
  await plane.rules.add({ route: "POST /api_keys", operations: [operation] });
  const inputs = { ...first, revokeNow: current, operationTimeout: "1m" };
  expect(await stack.up(inputs)).toHaveProperty("notReady");
  await clock.pass(2 * DAY);
  expect((await stack.up()).notReady).toMatch(/start_compute .* ended with status failed/);
  await plane.rules.add({ route: "POST /api_keys", status: 400, count: null });
  await stack.up().catch(() => {});
  expect(await stack.harness.liveIds()).toContain(current);

  await plane.rules.clear();
  await stack.up();
  await stack.up();
  expect(await stack.harness.liveIds()).toEqual([stack.current]);
});

it("T8: a rotating key whose keys are all gone is kept while a compromised key must still be revoked", async () => {
  const stack = await RotatingStack.start(first);
  const { current } = stack;
  const { plane } = stack.harness;
  await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
  await expect(stack.up({ ...first, revokeNow: current })).rejects.toThrow("could not be revoked");
  expect(stack.outputs?.retired).toEqual([current]);
  await plane.state.revokeKey(stack.current);
  expect(await stack.refresh()).toBe(true);
  await stack.up(first);
  await stack.up();
  expect(await stack.harness.liveIds()).toEqual([stack.current]);
});

it("T10: the grace period counts from the new key's creation even if the service's clock is slightly ahead", async () => {
  const stack = await RotatingStack.start(first);
  await stack.harness.plane.clock.set({ offsetMs: 4 * 60_000 });
  await stack.up(second);
  const { createdAt, retireAfter } = stack.outputs ?? {};
  expect(Date.parse(String(retireAfter))).toBeGreaterThanOrEqual(Date.parse(String(createdAt)) + DAY);
});
