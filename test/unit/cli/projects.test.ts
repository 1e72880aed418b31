import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { envOf, run, start } from "./support";

const PROJECTS = [{ id: "ours" }, { id: "theirs", organizationId: "org-other" }];

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane({ projects: PROJECTS });
});

afterEach(() => plane.close());

test("projects lists all projects, or those of an organization", async () => {
  const ids = async (...args: string[]) => {
    const { code, stdout } = await run(["projects", "--json", ...args], { env: envOf(plane) });
    expect(code).toBe(0);
    return (JSON.parse(stdout) as { projects: { id: string }[] }).projects.map(({ id }) => id).sort();
  };
  expect(await ids()).toEqual(["ours", "theirs"]);
  await plane.state.switch({ organizationRequired: true });
  expect(await ids("--organization", "org-other")).toEqual(["theirs"]);
  const table = await run(["projects", "--organization", "org-other"], { env: envOf(plane) });
  expect(table.stdout).toMatch(/^theirs .*org-other\n\n1 project$/m);
});

test("projects without a required organization ends with an error that names the option", async () => {
  await plane.state.switch({ organizationRequired: true });
  const { code, stderr } = await run(["projects"], { env: envOf(plane) });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--organization")]);
  expect(await plane.count()).toBe(1);
});

test("keys --organization shows to which project each key is limited", async () => {
  const make = (body: object) =>
    fetch(`${plane.url}/organizations/org-local-1/api_keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await make({ key_name: "limited", project_id: "ours" });
  await make({ key_name: "unlimited" });
  const shown = async () => (await start(["keys", "--organization", "org-local-1"], { env: envOf(plane) }).done).stdout;
  expect(await shown()).toMatch(/ unlimited .* all (.|\n)* limited .* ours /);
  await plane.state.switch({ projectKeys: "unsaid" });
  expect(await shown()).toMatch(/ limited .* \? /);
});
