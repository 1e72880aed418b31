import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import type { Properties } from "../../../provider/schema/outputs";
import { failureOf, json, StackHarness } from "./harness";

const start = async () => {
  const harness = await StackHarness.start();
  const { id: projectId } = await harness.plane.state.createProject();
  const create = (inputs: Properties = {}) =>
    resourceTypes.ProjectReady.create(json({ projectId, ...inputs }), harness.context);
  return { harness, projectId, create };
};

describe("a ProjectReady", () => {
  it("is ready at once and without a pause if nothing is pending", async () => {
    const { harness, projectId, create } = await start();
    expect(await create()).toEqual({ id: projectId, outputs: { projectId } });
    expect(harness.clock.sleeps).toEqual([]);
  });

  it("waits until the last pending operation has ended, and shows the operations", async () => {
    const { harness, projectId, create } = await start();
    await harness.plane.state.startOperations({ projectId, runningMs: 20_000, count: 2 });
    const before = harness.clock.monotonic();
    await create();
    expect(harness.clock.monotonic() - before).toBeGreaterThanOrEqual(20_000);
    expect(harness.told.progress[0]).toMatch(/waiting for .*start_compute/);
  });

  it("W4: fails with an operation that fails during the wait, and creates nothing", async () => {
    const { harness, projectId, create } = await start();
    const { ids } = await harness.plane.state.startOperations({ projectId, outcome: "failed", action: "apply_config" });
    const { message } = await failureOf(create());
    expect(message).toContain(
      `apply_config (${ids[0]}) of project ${projectId} ended with status failed after 1 failure`,
    );
  });

  it("W4: ignores an operation that failed before", async () => {
    const { harness, projectId, create } = await start();
    await harness.plane.state.startOperations({ projectId, outcome: "failed", ageMs: 60_000 });
    await harness.clock.pass(10_000);
    await create();
    expect(harness.clock.sleeps).toEqual([]);
  });

  it("does not wait for the platform's background work by default", async () => {
    const { harness, projectId, create } = await start();
    await harness.plane.state.startOperations({ projectId, action: "check_availability", runningMs: null });
    await create();
    const failure = await failureOf(create({ ignoreActions: ["start_compute"], operationTimeout: "10s" }));
    expect(failure.message).toContain("check_availability");
  });

  it("W5: names the pending operations when the deadline passes", async () => {
    const { harness, projectId, create } = await start();
    await harness.plane.state.startOperations({ projectId, runningMs: null });
    expect((await failureOf(create({ operationTimeout: "30s" }))).message).toMatch(
      /timed out after 30 s waiting for start_compute/,
    );
  });

  it("W1: gives up on an operation that stays unknown", async () => {
    const { create } = await start();
    const operationIds = ["11111111-2222-3333-4444-555555555555"];
    expect((await failureOf(create({ operationIds }))).message).toContain(operationIds[0]);
  });

  it("W4: does not wait again for an ended operation, even if a later page contradicts", async () => {
    const { harness, projectId, create } = await start();
    const { ids } = await harness.plane.state.startOperations({ projectId, runningMs: null, count: 3 });
    const [first = "", ...others] = ids;
    await harness.plane.state.endOperation(first);
    const listed = (id: string, status: string) => {
      const time = "2026-01-01T00:00:00Z";
      const times = { created_at: time, updated_at: time };
      return { id, project_id: projectId, action: "start_compute", status, failures_count: 0, ...times };
    };
    const operations = [...others.map((id) => listed(id, "finished")), listed(first, "running")];
    const route = "GET /projects/{project_id}/operations";
    await harness.plane.rules.add({ route, skip: 1, count: null, status: 200, body: { operations, pagination: {} } });
    await create({ operationIds: ids, operationTimeout: "60s" });
    expect(harness.clock.sleeps).toHaveLength(1);
  });

  it("waits only for the named operations, and again when a trigger changes", async () => {
    const { harness, projectId, create } = await start();
    const { ids } = await harness.plane.state.startOperations({ projectId });
    await harness.plane.state.startOperations({ projectId, runningMs: null });
    const { id, outputs } = await create({ operationIds: ids });
    const sent = (await harness.requests()).length;
    const news = json({ projectId, operationIds: ids, triggers: { release: 2 } });
    expect(await resourceTypes.ProjectReady.update(id, outputs, news, harness.context)).toEqual(news);
    expect((await harness.requests()).length).toBeGreaterThan(sent);
  });

  it("W10: sends nothing for a refresh or a delete, because operations under way are not drift", async () => {
    const { harness, create } = await start();
    const { id, outputs } = await create();
    const sent = await harness.requests();
    expect(await resourceTypes.ProjectReady.read(id, outputs, harness.context)).toEqual(outputs);
    await resourceTypes.ProjectReady.delete(id, outputs, harness.context);
    expect(await harness.requests()).toEqual(sent);
  });
});
