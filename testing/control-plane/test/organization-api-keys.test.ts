import { expect, test } from "vitest";
import type { ControlPlane } from "..";
import { send, startPlane } from "./support";

const path = "/organizations/org-local-1/api_keys";

async function keyOf(plane: ControlPlane, body: Record<string, unknown>): Promise<string> {
  return (await send(plane, `POST ${path}`, { body })).body.key;
}

test("keys of an organization have their own list, and GET /auth distinguishes them", async () => {
  const plane = await startPlane();
  const key = await keyOf(plane, { key_name: "ci" });
  expect((await send(plane, `GET ${path}`)).body).toMatchObject([{ name: "ci" }]);
  expect((await send(plane, "GET /api_keys")).body).toMatchObject([{ name: "admin" }]);
  expect((await send(plane, "GET /auth", { key })).body.auth_method).toBe("api_key_org");
});

test("keys of an organization cannot create keys and have no user, as on the public service", async () => {
  const plane = await startPlane();
  const key = await keyOf(plane, { key_name: "ci" });
  expect((await send(plane, `POST ${path}`, { key, body: { key_name: "x" } })).status).toBe(403);
  expect((await send(plane, "POST /api_keys", { key, body: { key_name: "x" } })).status).toBe(403);
  const me = await send(plane, "GET /users/me", { key });
  expect(me).toMatchObject({ status: 404, body: { message: "not allowed for organization API keys" } });
});

test("a key of one project sees only that project and cannot delete it", async () => {
  const plane = await startPlane({ projects: [{ id: "mine" }, { id: "other" }] });
  const key = await keyOf(plane, { key_name: "ci", project_id: "mine" });
  expect((await send(plane, "GET /projects", { key })).body.projects).toMatchObject([{ id: "mine" }]);
  expect((await send(plane, "GET /projects/other/operations", { key })).status).toBe(404);
  expect((await send(plane, "DELETE /projects/mine", { key })).status).toBe(403);
});

test("keys of an organization cannot list or revoke its keys, which only users can do", async () => {
  const plane = await startPlane();
  const key = await keyOf(plane, { key_name: "ci" });
  const { id } = (await send(plane, `POST ${path}`, { body: { key_name: "other" } })).body;
  expect((await send(plane, `GET ${path}`, { key })).status).toBe(404);
  expect((await send(plane, `DELETE ${path}/${id}`, { key })).status).toBe(404);
  expect(await plane.liveKeys()).toHaveLength(2);
});

test("a key of one project shows it in every answer, and cannot be created for another organization's project", async () => {
  const plane = await startPlane({ projects: [{ id: "mine" }, { id: "elsewhere", organizationId: "org-other" }] });
  const { body } = await send(plane, `POST ${path}`, { body: { key_name: "ci", project_id: "mine" } });
  expect(body).toMatchObject({ project_id: "mine" });
  expect((await send(plane, `GET ${path}`)).body).toMatchObject([{ id: body.id, project_id: "mine" }]);
  const scope = { organizationId: "org-local-1", projectId: "mine" };
  expect(await plane.liveKeys()).toMatchObject([{ id: body.id, ...scope }]);
  expect((await send(plane, `DELETE ${path}/${body.id}`)).body).toMatchObject({ project_id: "mine", revoked: true });
  for (const project of ["elsewhere", "nowhere"]) {
    const refused = await send(plane, `POST ${path}`, { body: { key_name: "ci", project_id: project } });
    expect(refused).toMatchObject({ status: 404, body: { message: "project not found" } });
  }
});

test("a list shows null as the project of a key of a whole organization, and no project for a key of a user", async () => {
  const plane = await startPlane();
  await keyOf(plane, { key_name: "ci" });
  expect((await send(plane, `GET ${path}`)).body).toMatchObject([{ name: "ci", project_id: null }]);
  expect((await send(plane, "GET /api_keys")).body[0]).not.toHaveProperty("project_id");
});

test("names are unique among the keys of an organization and its projects, independent of those of the account", async () => {
  const plane = await startPlane({ projects: [{ id: "mine" }] });
  await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect((await send(plane, `POST ${path}`, { body: { key_name: "ci" } })).status).toBe(200);
  expect((await send(plane, `POST ${path}`, { body: { key_name: "ci", project_id: "mine" } })).status).toBe(409);
});

test("a key of an organization can be revoked only through the organization", async () => {
  const plane = await startPlane();
  const { id } = (await send(plane, `POST ${path}`, { body: { key_name: "ci" } })).body;
  expect((await send(plane, `DELETE /api_keys/${id}`)).status).toBe(404);
  expect((await send(plane, `DELETE ${path}/${id}`)).body).toMatchObject({ id, revoked: true });
  expect((await send(plane, "GET /organizations/other/api_keys")).status).toBe(404);
});

test.each([
  ["limited", { project_id: "mine" }, "mine", "mine"],
  ["ignored", {}, null, undefined],
  ["null", { project_id: null }, null, undefined],
  ["another", { project_id: "other" }, "other", "other"],
  ["unsaid", {}, undefined, "mine"],
] as const)("with projectKeys %s, a key for a project is answered, listed and limited accordingly", async (...row) => {
  const [projectKeys, answered, listed, limited] = row;
  const plane = await startPlane({ projects: [{ id: "mine" }, { id: "other" }], switches: { projectKeys } });
  const { body } = await send(plane, `POST ${path}`, { body: { key_name: "ci", project_id: "mine" } });
  expect("project_id" in body ? { project_id: body.project_id } : {}).toEqual(answered);
  const [found] = (await send(plane, `GET ${path}`)).body;
  expect(found.project_id).toBe(listed);
  const [live] = await plane.liveKeys();
  expect(live?.projectId).toBe(limited);
});

test("with projectKeys another, a key is limited although no project is requested", async () => {
  const plane = await startPlane({ projects: [{ id: "mine" }], switches: { projectKeys: "another" } });
  expect((await send(plane, `POST ${path}`, { body: { key_name: "ci" } })).body).toMatchObject({ project_id: "mine" });
});

test("an unknown value of projectKeys is refused", async () => {
  const plane = await startPlane();
  await expect(plane.state.switch({ projectKeys: "some" as "null" })).rejects.toThrow("limited");
  expect(await plane.state.switch({})).toMatchObject({ projectKeys: "limited" });
});
