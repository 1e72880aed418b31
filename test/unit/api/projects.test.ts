import { afterEach, describe, expect, it } from "vitest";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

describe("listing projects", () => {
  it("returns all projects for any page size of the service", async () => {
    const { account, plane } = await startAccount();
    const made = await Promise.all(Array.from({ length: 12 }, () => plane.state.createProject()));
    const ids = (await account.projects.list()).map((each) => each.id);
    expect(ids).toEqual(expect.arrayContaining(made.map((each) => each.id)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("returns no undefined fields, which a program's outputs could not hold", async () => {
    const { account, plane } = await startAccount();
    await plane.state.createProject({ id: "calm-lake-1", name: "calm" });
    const project = await account.projects.get("calm-lake-1");
    expect(project).toMatchObject({ id: "calm-lake-1", name: "calm", pgVersion: 17 });
    expect(Object.values(project ?? {})).not.toContain(undefined);
  });

  it("warns about projects that the service could not read in time, and does not treat them as absent", async () => {
    const { account, plane, warnings } = await startAccount();
    const patch = { unavailable_project_ids: ["calm-lake-1"] };
    await plane.rules.add({ route: "GET /projects", count: null, patch });
    await account.projects.list();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("calm-lake-1");
    expect(await account.projects.get("calm-lake-1")).toBe("unavailable");
    expect(await account.projects.get("no-such-project")).toBeUndefined();
  });
});
