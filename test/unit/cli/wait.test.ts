import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { type Ended, envOf, run, start } from "./support";

let plane: ControlPlane;
let project: string;

beforeEach(async () => {
  plane = await startControlPlane();
  project = (await plane.state.createProject()).id;
});

afterEach(() => plane.close());

const quick = () => ({ env: { ...envOf(plane), KEYPLANE_POLL_INTERVAL: "1s" } });

function wait(...args: string[]): Promise<Ended> {
  return run(["wait", "--project", project, ...args], quick());
}

/** Starts an operation that ends only on request. */
async function pending(action = "start_compute"): Promise<string> {
  const { ids } = await plane.state.startOperations({ projectId: project, action, runningMs: null });
  return ids[0] ?? "";
}

test("wait ends at once for a project without pending operations", async () => {
  const { code, stdout } = await wait();
  expect([code, stdout]).toEqual([0, `ready: nothing is pending in project ${project}\n`]);
});

test("wait ends with the last pending operation and says what it waited for", async () => {
  const id = await pending();
  await plane.rules.add({ route: "GET /projects/{project_id}/operations", skip: 1, hold: "before" });
  const running = wait("--json");
  await plane.held.wait();
  await plane.state.endOperation(id);
  await plane.held.release();
  const { code, stdout } = await running;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ projectId: project, ended: [{ id, status: "finished" }] });
});

test("wait --operation waits only for the named operations", async () => {
  await pending();
  const done = await pending("apply_config");
  await plane.state.endOperation(done);
  const stdout = expect.stringMatching(/apply_config(.|\n)*ready: the operations have ended/);
  expect(await wait("--operation", done)).toMatchObject({ code: 0, stdout });
});

test("wait reports a failed operation with its id, its action and exit code 1", async () => {
  const id = await pending();
  await plane.state.endOperation(id, "failed");
  const { code, stdout, stderr } = await wait("--operation", id, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ failed: [{ id, action: "start_compute", status: "failed" }] });
  expect(stderr).toContain(id);
});

test("wait reports a timeout with the pending operations and exit code 1", async () => {
  const id = await pending();
  const { code, stdout, stderr } = await wait("--timeout", "1s", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ pending: [{ id }], error: { code: "KP-TIMEOUT" } });
  expect(stderr).toContain("start_compute");
});

test("wait ends cleanly at Ctrl+C with exit code 130", async () => {
  await pending();
  await plane.rules.add({ route: "GET /projects/{project_id}/operations", hold: "before" });
  const { child, done } = start(["wait", "--project", project], quick());
  await plane.held.wait();
  child.kill("SIGINT");
  expect(await done).toEqual({ code: 130, stdout: "", stderr: "" });
  await plane.held.release();
});

test.each<[string, string[], RegExp]>([
  ["no project", [], /--project/],
  ["an invalid project id", ["--project", "a/b"], /--project: must be the id of a project/],
  ["an invalid operation id", ["--project", "p", "--operation", "7"], /--operation: must be.*UUID/],
  ["a time that no timer can hold", ["--project", "p", "--timeout", "30d"], /24 days/],
])("wait with %s fails with exit code 2 before any request", async (_, args, message) => {
  expect(await run(["wait", ...args], quick())).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(await plane.count()).toBe(0);
});
