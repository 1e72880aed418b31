import { expect, test } from "vitest";
import type { ControlPlane } from "..";
import { firstProject, send, startPlane } from "./support";

interface Operation {
  id: string;
  status: string;
}

/** The ids on the pages of a project's operations, up to an empty page or one that repeats the cursor. */
async function walk(plane: ControlPlane, project: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 50; pages += 1) {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await send(plane, `GET /projects/${project}/operations?limit=${limit}${query}`);
    if (body.operations.length === 0) return ids;
    ids.push(...body.operations.map(({ id }: Operation) => id));
    if (body.pagination.cursor === cursor) return ids;
    cursor = body.pagination.cursor;
  }
  throw new Error("the pages do not end");
}

async function statusOf(plane: ControlPlane, project: string, id: string): Promise<string> {
  return (await send(plane, `GET /projects/${project}/operations/${id}`)).body.operation.status;
}

test("an operation has every field, and is the same alone and in a list", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const [id = ""] = (await plane.state.startOperations({ projectId: project })).ids;
  const { status, body } = await send(plane, `GET /projects/${project}/operations`);
  expect(status).toBe(200);
  expect(body.operations[0]).toEqual({
    id,
    project_id: project,
    branch_id: expect.any(String),
    endpoint_id: expect.any(String),
    action: "start_compute",
    status: "scheduling",
    failures_count: 0,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    updated_at: expect.any(String),
    total_duration_ms: 0,
  });
  expect(body.pagination.cursor).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  const one = await send(plane, `GET /projects/${project}/operations/${id}`);
  expect(one.body).toEqual({ operation: body.operations[0] });
});

test("an operation goes from scheduling to running and finished as the clock advances, and stays finished", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const course = { projectId: project, schedulingMs: 1000, runningMs: 2000 };
  const [id = ""] = (await plane.state.startOperations(course)).ids;
  const seen: string[] = [];
  for (const ms of [0, 999, 1, 1999, 1, 86_400_000]) {
    await plane.clock.advance(ms);
    seen.push(await statusOf(plane, project, id));
  }
  expect(seen).toEqual(["scheduling", "scheduling", "running", "running", "finished", "finished"]);
  const { body } = await send(plane, `GET /projects/${project}/operations/${id}`);
  expect(body.operation.total_duration_ms).toBe(3000);
  expect(Date.parse(body.operation.updated_at) - Date.parse(body.operation.created_at)).toBe(3000);
});

test.each(["failed", "error", "cancelled", "skipped", "hibernated"])("an operation can end as %s", async (outcome) => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const [id = ""] = (await plane.state.startOperations({ projectId: project, outcome })).ids;
  await plane.clock.advance(60_000);
  const { operation } = (await send(plane, `GET /projects/${project}/operations/${id}`)).body;
  const failed = outcome === "failed" || outcome === "error";
  expect(operation).toMatchObject({ status: outcome, failures_count: failed ? 1 : 0 });
});

test("an operation without an end runs until a control call ends it", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const [id = ""] = (await plane.state.startOperations({ projectId: project, runningMs: null })).ids;
  await plane.clock.advance(365 * 86_400_000);
  expect(await statusOf(plane, project, id)).toBe("running");
  await plane.state.endOperation(id, "failed");
  expect(await statusOf(plane, project, id)).toBe("failed");
});

test("each poll in mode auto advances the clock by a step, so that a polling client needs no real time", async () => {
  const plane = await startPlane({ clock: { mode: "auto", stepMs: 1000 } });
  const project = await firstProject(plane);
  const [id = ""] = (await plane.state.startOperations({ projectId: project })).ids;
  const seen: string[] = [];
  for (let polls = 0; polls < 4; polls += 1) seen.push(await statusOf(plane, project, id));
  expect(seen).toEqual(["scheduling", "running", "running", "finished"]);
});

test("the offset changes timestamps and the Date header, but not the progress of operations", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const [id = ""] = (await plane.state.startOperations({ projectId: project })).ids;
  const before = await send(plane, `GET /projects/${project}/operations/${id}`);
  await plane.clock.set({ offsetMs: 600_000 });
  const after = await send(plane, `GET /projects/${project}/operations/${id}`);
  const dates = [before, after].map(({ headers }) => Date.parse(headers.get("date") ?? ""));
  expect((dates[1] ?? 0) - (dates[0] ?? 0)).toBe(600_000);
  expect(after.body).toEqual(before.body);
  const made = await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect(Date.parse(made.body.created_at)).toBe(dates[1]);
});

test("paging returns every operation once, newest first, for any page size", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const { ids } = await plane.state.startOperations({ projectId: project, count: 37, ageMs: 1000, gapMs: 7 });
  const whole = await walk(plane, project, 1000);
  expect(whole.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
  for (const limit of [1, 2, 5, 36]) expect(await walk(plane, project, limit)).toEqual(whole);
});

test("operations with the same time are separated between pages", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const { body } = await send(plane, `POST /projects/${project}/branches`, { body: {} });
  const [branch, compute] = body.operations;
  expect(branch.created_at).toBe(compute.created_at);
  expect((await walk(plane, project, 1)).slice(0, 2)).toEqual([compute.id, branch.id]);
});

test("operations with the same time can be repeated or skipped at the border of a page by a switch", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  await plane.clock.advance(1000);
  const older = (await plane.state.startOperations({ projectId: project })).ids;
  await plane.clock.advance(1000);
  const { ids } = await plane.state.startOperations({ projectId: project, count: 3 });
  await plane.state.switch({ tiedOperations: "repeated" });
  const page = async (cursor: string) =>
    (await send(plane, `GET /projects/${project}/operations?limit=2&cursor=${cursor}`)).body;
  const first = (await send(plane, `GET /projects/${project}/operations?limit=2`)).body;
  const repeated = await page(first.pagination.cursor);
  expect(repeated.operations.map(({ id }: Operation) => id)).toEqual([ids[2], ids[1]]);
  await plane.state.switch({ tiedOperations: "skipped" });
  const skipped = await page(first.pagination.cursor);
  expect(skipped.operations.map(({ id }: Operation) => id)).toContain(older[0]);
  expect(skipped.operations.map(({ id }: Operation) => id)).not.toContain(ids[0]);
});

test("the last page has a cursor, and the page after it is empty and has no pagination", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const path = `GET /projects/${project}/operations`;
  const { cursor } = (await send(plane, path)).body.pagination;
  expect((await send(plane, `${path}?cursor=${cursor}`)).body).toEqual({ operations: [] });
  await plane.state.switch({ cursorOnLastPage: false });
  expect((await send(plane, path)).body).not.toHaveProperty("pagination");
});

test.each(["limit=0", "limit=1001", "limit=ten", "cursor=yesterday", "cursor="])(
  "operations?%s is refused with 400",
  async (query) => {
    const plane = await startPlane();
    const project = await firstProject(plane);
    expect((await send(plane, `GET /projects/${project}/operations?${query}`)).status).toBe(400);
  },
);

test("an unknown project or operation returns 404, and an id that is not a UUID returns 400", async () => {
  const plane = await startPlane({ projects: [{ id: "mine" }, { id: "other" }] });
  const [id = ""] = (await plane.state.startOperations({ projectId: "other" })).ids;
  const status = async (path: string) => (await send(plane, `GET /projects/${path}`)).status;
  expect(await status("none/operations")).toBe(404);
  expect(await status(`mine/operations/${id}`)).toBe(404);
  expect(await status("mine/operations/1b9e5b3c-0000-4000-8000-000000000000")).toBe(404);
  expect(await status("mine/operations/1")).toBe(400);
});
