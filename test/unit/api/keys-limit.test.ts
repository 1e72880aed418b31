import { afterEach, describe, expect, test } from "vitest";
import { compareProject } from "../../../provider/api/keys/project-of-key";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

const ORGANIZATION = "org-local-1";
const LIST = "/organizations/{org_id}/api_keys";
const CREATE = `POST ${LIST}`;

describe("what a record says of a key's project", () => {
  test.each([
    ["mine", "mine", "same"],
    ["mine", "other", "other"],
    ["mine", null, "other"],
    ["mine", undefined, "unsaid"],
    [undefined, undefined, "same"],
    [undefined, null, "same"],
    [undefined, "other", "other"],
  ] as const)("asked %s, said %s: %s", (asked, said, limit) => {
    expect(compareProject(asked, said)).toBe(limit);
  });
});

describe("creating a key for a project", () => {
  const start = async (projectKeys: "limited" | "ignored" | "null" | "another" | "unsaid") => {
    const setup = await startAccount({}, { projects: [{ id: "mine" }, { id: "other" }], switches: { projectKeys } });
    return { ...setup, keys: setup.account.keysOf(ORGANIZATION) };
  };

  test("takes one request if its answer confirms the project", async () => {
    const { keys, plane, warnings } = await start("limited");
    expect(await keys.create("ci", { projectId: "mine" })).toMatchObject({ projectId: "mine" });
    expect(await plane.count()).toBe(1);
    expect(warnings).toEqual([]);
  });

  test.each(["ignored", "null", "another"] as const)("fails with the key's id if the service has %s", async (mode) => {
    const { keys, plane } = await start(mode);
    const error = await caught(keys.create("ci", { projectId: "mine" }));
    const [live] = await plane.liveKeys();
    expect(error).toMatchObject({ code: "KP-SCOPE", keyId: String(live?.id) });
  });

  test("fails if an empty text stands for no project", async () => {
    const { keys, plane } = await start("limited");
    await plane.rules.add({ route: CREATE, patch: { project_id: "" } });
    expect(await caught(keys.create("ci", { projectId: "mine" }))).toMatchObject({ code: "KP-SCOPE" });
  });

  test("fails if a key without a project is limited to one", async () => {
    const { keys } = await start("another");
    expect(await caught(keys.create("ci"))).toMatchObject({ code: "KP-SCOPE" });
  });

  test("warns once per run if neither the answer nor the list says a project", async () => {
    const { keys, warnings } = await start("unsaid");
    const { id } = await keys.create("ci-1", { projectId: "mine" });
    await keys.create("ci-2", { projectId: "mine" });
    expect(warnings).toEqual([expect.stringContaining(id)]);
  });

  test("is confirmed by the list if the answer is silent, also by one that lags behind", async () => {
    const { keys, plane, warnings } = await start("limited");
    await plane.rules.add({ route: CREATE, omit: ["project_id"] });
    await plane.rules.add({ route: `GET ${LIST}`, lacks: 0 });
    await keys.create("ci", { projectId: "mine" });
    expect(warnings).toEqual([]);
  });

  test("keeps the key if the answer is silent and the list cannot be read", async () => {
    const { keys, plane, warnings } = await start("unsaid");
    await plane.rules.add({ route: `GET ${LIST}`, status: 403, count: null });
    expect(await keys.create("ci", { projectId: "mine" })).toMatchObject({ name: "ci" });
    expect(warnings).toHaveLength(1);
  });

  test("reports a list that contradicts the answer, once", async () => {
    const { keys, plane, warnings } = await start("null");
    await plane.rules.add({ route: CREATE, patch: { project_id: "mine" } });
    const { id } = await keys.create("ci", { projectId: "mine" });
    await keys.list({ fresh: true });
    await keys.list({ fresh: true });
    expect(warnings).toEqual([expect.stringContaining(`key ${id}`)]);
  });
});
