import { afterEach, describe, expect, test } from "vitest";
import { PROJECTS } from "../../routes";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

const GET = "GET /projects/{project_id}";

describe("one project", () => {
  test("is read by its id without a list", async () => {
    const { account, plane } = await startAccount();
    await plane.state.createProject({ id: "calm-lake-1" });
    expect(await account.projects.get("calm-lake-1")).toMatchObject({ id: "calm-lake-1" });
    expect(await account.projects.get("no-such-project")).toBeUndefined();
    expect(await plane.count("GET", "/projects")).toBe(0);
  });

  test.each([404, 405, 501])("is found in the list if the service lacks the call for one (%s)", async (status) => {
    const { account, plane } = await startAccount();
    await plane.state.createProject({ id: "calm-lake-1" });
    await plane.rules.add({ route: GET, count: null, status });
    expect(await account.projects.get("calm-lake-1")).toMatchObject({ id: "calm-lake-1" });
    expect(await account.projects.get("no-such-project")).toBeUndefined();
  });

  test("is not looked for in the list after another refusal", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: GET, status: 403 });
    expect(await caught(account.projects.get("calm-lake-1"))).toMatchObject({ kind: "auth", status: 403 });
    expect(await plane.count()).toBe(1);
  });

  test("is not the one that was asked for if it has another id", async () => {
    const { account, plane } = await startAccount();
    await plane.state.createProject({ id: "calm-lake-1" });
    const other = {
      id: "other",
      name: "other",
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
    };
    await plane.rules.add({ route: GET, patch: { project: other } });
    expect(await caught(account.projects.get("calm-lake-1"))).toMatchObject({ kind: "bad_answer" });
  });
});

describe("projects that belong to organizations", () => {
  const start = () => startAccount({}, { switches: { organizationRequired: true }, projects: OWNED });
  const OWNED = [{ id: "ours" }, { id: "theirs", organizationId: "org-other" }];

  test("are listed by their organization", async () => {
    const { account } = await start();
    expect(await account.projects.list({ organizationId: "org-other" })).toMatchObject([{ id: "theirs" }]);
  });

  test("are refused without it after one request, and the error names the argument", async () => {
    const { account, plane } = await start();
    const error = await caught(account.projects.list());
    expect(error).toMatchObject({ code: "KP-INPUT", status: 400, message: expect.stringMatching(/^organizationId: /) });
    expect(await plane.count()).toBe(1);
  });

  test("are read by their id without it, and are not found in another organization", async () => {
    const { account } = await start();
    expect(await account.projects.get("theirs")).toMatchObject({ orgId: "org-other" });
    expect(await account.projects.get("theirs", { organizationId: "org-other" })).toMatchObject({ id: "theirs" });
    expect(await account.projects.get("theirs", { organizationId: "org-local-1" })).toBeUndefined();
  });
});

describe("listing projects", () => {
  test("returns all projects for any page size of the service", async () => {
    const { account, plane } = await startAccount();
    const made = await Promise.all(Array.from({ length: 12 }, () => plane.state.createProject()));
    const ids = (await account.projects.list()).map((each) => each.id);
    expect(ids).toEqual(expect.arrayContaining(made.map((each) => each.id)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("returns no undefined fields, which a program's outputs could not hold", async () => {
    const { account, plane } = await startAccount();
    await plane.state.createProject({ id: "calm-lake-1", name: "calm" });
    const project = await account.projects.get("calm-lake-1");
    expect(project).toMatchObject({ id: "calm-lake-1", name: "calm", pgVersion: 17 });
    expect(Object.values(project ?? {})).not.toContain(undefined);
  });

  test("warns about projects that the service could not read in time, and does not treat them as absent", async () => {
    const { account, plane, warnings } = await startAccount();
    const patch = { unavailable_project_ids: ["calm-lake-1"] };
    await plane.rules.add({ route: PROJECTS, count: null, patch });
    await plane.rules.add({ route: GET, count: null, status: 404 });
    await account.projects.list();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("calm-lake-1");
    expect(await account.projects.get("calm-lake-1")).toBe("unavailable");
    expect(await account.projects.get("no-such-project")).toBeUndefined();
  });
});
