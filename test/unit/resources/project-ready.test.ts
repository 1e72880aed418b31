import { describe, expect, test } from "vitest";
import type { Members } from "../../../provider/members";
import { projectReady, TestStack } from "../../engineless/test-stack";

const start = async () => {
  const stack = await TestStack.start();
  const { id: projectId } = await stack.plane.state.createProject();
  const up = (inputs: Members = {}) => stack.up({ ci: projectReady({ projectId, ...inputs }) });
  return { stack, projectId, up };
};

describe("a ProjectReady", () => {
  test("is ready at once and without a pause if nothing is pending", async () => {
    const { stack, projectId, up } = await start();
    expect((await up()).errors).toEqual({});
    expect(stack.resources).toMatchObject([{ id: projectId, outputs: { projectId } }]);
    expect(stack.clock.sleeps).toEqual([]);
    expect(await up()).toMatchObject({ steps: { ci: "same" }, requests: [] });
  });

  test("waits until the last pending operation has ended, and shows the operations", async () => {
    const { stack, projectId, up } = await start();
    await stack.plane.state.startOperations({ projectId, runningMs: 20_000, count: 2 });
    const before = stack.clock.monotonic();
    expect((await up()).progress[0]).toMatch(/waiting for .*start_compute/);
    expect(stack.clock.monotonic() - before).toBeGreaterThanOrEqual(20_000);
  });

  test("fails with an operation that fails during the wait, and ignores one that failed before", async () => {
    const { stack, projectId, up } = await start();
    const { ids } = await stack.plane.state.startOperations({ projectId, outcome: "failed", action: "apply_config" });
    expect((await up()).errors.ci).toContain(`apply_config (${ids[0]}) of project ${projectId}`);
    expect(stack.resources).toEqual([]);
    await stack.clock.pass(60_000);
    expect((await up()).errors).toEqual({});
  });

  test("does not wait for the platform's background work by default", async () => {
    const { stack, projectId, up } = await start();
    await stack.plane.state.startOperations({ projectId, action: "check_availability", runningMs: null });
    expect((await up()).errors).toEqual({});
    const run = await up({ ignoreActions: ["start_compute"], operationTimeout: "10s" });
    expect(run.errors.ci).toContain("check_availability");
  });

  test("names the pending operations when the deadline passes", async () => {
    const { stack, projectId, up } = await start();
    await stack.plane.state.startOperations({ projectId, runningMs: null });
    expect((await up({ operationTimeout: "30s" })).errors.ci).toMatch(/timed out after 30 s waiting for start_compute/);
  });

  test("gives up on an operation that stays unknown", async () => {
    const operationIds = ["11111111-2222-3333-4444-555555555555"];
    expect((await (await start()).up({ operationIds })).errors.ci).toContain(operationIds[0]);
  });

  test("waits only for the named operations, and again when a trigger changes", async () => {
    const { stack, projectId, up } = await start();
    const { ids } = await stack.plane.state.startOperations({ projectId });
    await stack.plane.state.startOperations({ projectId, runningMs: null });
    expect((await up({ operationIds: ids })).errors).toEqual({});
    const again = await up({ operationIds: ids, triggers: { release: 2 } });
    expect([again.steps.ci, again.requests.length > 0]).toEqual(["update", true]);
    // Operations under way are not drift, and there is nothing to delete.
    expect((await stack.refresh()).requests).toEqual([]);
    expect((await stack.destroy()).requests).toEqual([]);
  });
});
