import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

test("data-sources: the program reads projects and operations, and a new project rotates the key", async () => {
  const { id } = await plane.state.createProject({ name: "shop", regionId: "test-1" });
  await plane.state.startOperations({ projectId: id, action: "apply_config", runningMs: 1, outcome: "failed" });
  await plane.clock.advance(60_000);
  example = await StackUnderTest.of(plane, "data-sources", { config: { region: "test-1" } });

  await example.run("up");
  expect(await example.workspace.outputs()).toMatchObject({
    projectNames: ["shop"],
    failedOperations: [{ project: "shop", actions: ["apply_config"] }],
    readerKey: "[secret]",
  });

  await example.runIdle("preview");
  await example.runIdle("refresh");

  await plane.state.createProject({ name: "blog", regionId: "test-1" });
  expect((await example.run("up")).changes).toContain("replace reader");
  expect(await example.workspace.outputs()).toMatchObject({ projectNames: ["blog", "shop"] });
  expect(await plane.liveKeys()).toHaveLength(1);

  await example.destroy();
});
