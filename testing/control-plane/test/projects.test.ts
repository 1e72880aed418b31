import { expect, test } from "vitest";
import { firstProject, send, startPlane } from "./support";

const seeds = Array.from({ length: 25 }, (_, index) => ({ id: `p${index}`, name: `name-${index}` }));

test("projects are listed newest first, ten to a page", async () => {
  const plane = await startPlane({ projects: seeds });
  const { status, body } = await send(plane, "GET /projects");
  expect(status).toBe(200);
  expect(body.projects).toHaveLength(10);
  expect(body.projects[0]).toMatchObject({ id: "p24", name: "name-24", locked: false, org_id: "org-local-1" });
  expect(body).toMatchObject({ applications: {}, integrations: {}, unavailable_project_ids: [] });
});

test("following the cursor returns every project once, and the last page has a cursor as on the public service", async () => {
  const plane = await startPlane({ projects: seeds });
  const ids: string[] = [];
  for (let cursor = "", pages = 0; pages < 5; pages += 1) {
    const { body } = await send(plane, `GET /projects?limit=10${cursor}`);
    ids.push(...body.projects.map(({ id }: { id: string }) => id));
    if (body.projects.length === 0) {
      expect(body).not.toHaveProperty("pagination");
      break;
    }
    expect(body.pagination.cursor).toBe(ids.at(-1));
    cursor = `&cursor=${body.pagination.cursor}`;
  }
  expect(ids).toEqual(seeds.map(({ id }) => id).reverse());
});

test("projects can be searched by a part of their name or id, and by organization", async () => {
  const plane = await startPlane({ projects: seeds });
  const search = await send(plane, "GET /projects?search=NAME-2");
  expect(search.body.projects.map(({ id }: { id: string }) => id)).toEqual(["p24", "p23", "p22", "p21", "p20", "p2"]);
  expect((await send(plane, "GET /projects?org_id=other")).body.projects).toEqual([]);
});

test("requests must name an organization if that is switched on", async () => {
  const plane = await startPlane({ switches: { organizationRequired: true } });
  const refused = await send(plane, "GET /projects");
  expect(refused.status).toBe(400);
  expect(refused.body.message).toMatch(/^org_id is required/);
  expect((await send(plane, "GET /projects?org_id=org-local-1")).status).toBe(200);
  expect((await send(plane, "POST /projects", { body: { project: {} } })).status).toBe(400);
});

test.each(["limit=0", "limit=401", "limit=x", "limit=", "cursor=unknown"])(
  "GET /projects?%s is refused with 400",
  async (query) => {
    const plane = await startPlane();
    expect((await send(plane, `GET /projects?${query}`)).status).toBe(400);
  },
);

test("no project is shared with the account", async () => {
  const plane = await startPlane();
  const { body } = await send(plane, "GET /projects/shared");
  expect(body).toMatchObject({ projects: [] });
  expect(body).not.toHaveProperty("pagination");
});

test("creating a project starts its operations, and deleting it starts one that can still be polled", async () => {
  const plane = await startPlane({ projects: [] });
  const made = await send(plane, "POST /projects", { body: { project: { name: "new" } } });
  expect(made.status).toBe(201);
  expect(made.body.operations).toMatchObject([
    { action: "create_timeline", status: "running" },
    { action: "start_compute", status: "scheduling" },
  ]);
  const { id } = made.body.project;
  expect((await send(plane, `GET /projects/${id}`)).body.project.name).toBe("new");
  const deleted = await send(plane, `DELETE /projects/${id}`);
  expect(deleted.body.operations).toMatchObject([{ action: "delete_tenant" }]);
  expect((await send(plane, `GET /projects/${id}`)).status).toBe(404);
  expect((await send(plane, "GET /projects")).body.projects).toEqual([]);
  const operation = await send(plane, `GET /projects/${id}/operations/${deleted.body.operations[0].id}`);
  expect(operation.status).toBe(200);
});

test("creating a branch starts create_branch, and also start_compute if it has an endpoint", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const { status, body } = await send(plane, `POST /projects/${project}/branches`, { body: { branch: { name: "b" } } });
  expect(status).toBe(201);
  expect(body.branch).toMatchObject({ name: "b", parent_id: expect.any(String) });
  const [branch, compute] = body.operations;
  expect(branch).toMatchObject({ action: "create_branch", branch_id: body.branch.id, status: "running" });
  expect(branch).not.toHaveProperty("endpoint_id");
  expect(compute).toMatchObject({ action: "start_compute", endpoint_id: body.endpoints[0].id, status: "scheduling" });
  const deleted = await send(plane, `DELETE /projects/${project}/branches/${body.branch.id}`);
  expect(deleted.body.operations).toMatchObject([{ branch_id: body.branch.id }]);
  expect((await send(plane, `GET /projects/${project}/branches`)).body.branches).toHaveLength(1);
});

test("starting and suspending a compute endpoint starts operations", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  const [endpoint] = (await send(plane, `GET /projects/${project}/endpoints`)).body.endpoints;
  for (const [verb, action, state] of [
    ["suspend", "suspend_compute", "idle"],
    ["start", "start_compute", "active"],
  ]) {
    const { body } = await send(plane, `POST /projects/${project}/endpoints/${endpoint.id}/${verb}`);
    expect(body).toMatchObject({ endpoint: { current_state: state }, operations: [{ action }] });
  }
  expect((await send(plane, `POST /projects/${project}/endpoints/none/start`)).status).toBe(404);
});

test("a project with an operation under way is locked with 423 if that is switched on", async () => {
  const plane = await startPlane({ switches: { lockBusyProjects: true } });
  const project = await firstProject(plane);
  const branch = `POST /projects/${project}/branches`;
  expect((await send(plane, branch, { body: {} })).status).toBe(201);
  expect((await send(plane, branch, { body: {} })).status).toBe(423);
  await plane.clock.advance(60_000);
  expect((await send(plane, branch, { body: {} })).status).toBe(201);
});
