import { describe, expect, test } from "vitest";
import type { LiveKey, ProjectKeys } from "../../../testing/control-plane";
import { codeOf, key, rotating, TestStack } from "../../engineless/test-stack";

const ORGANIZATION = "org-local-1";
const [MAKE, LIST] = ["POST", "GET"].map((method) => `${method} /organizations/{org_id}/api_keys`) as [string, string];
const REVOKE = "DELETE /organizations/{org_id}/api_keys/{key_id}";
const MINE = { organizationId: ORGANIZATION, projectId: "mine" };

/** A stack in an organization with the projects `mine` and `other`. */
async function start(projectKeys: ProjectKeys = "limited"): Promise<TestStack> {
  const stack = await TestStack.start();
  for (const id of ["mine", "other"]) await stack.plane.state.createProject({ id });
  await stack.plane.state.switch({ projectKeys });
  return stack;
}

/** Lets the list show keys with these projects, oldest first. */
async function listing(stack: TestStack, ...projects: readonly (string | null)[]): Promise<void> {
  const keys = (await stack.plane.liveKeys()).reverse();
  const body = keys.map(({ id, name, createdAt }: LiveKey, at) => ({
    id,
    name,
    created_at: createdAt,
    last_used_at: null,
    last_used_from_addr: "",
    project_id: projects[at],
  }));
  await stack.plane.rules.add({ route: LIST, body, status: 200, count: null });
}

describe.each([
  ["ApiKey", key],
  ["RotatingApiKey", rotating],
] as const)("%s for a project", (_, declare) => {
  test.each(["ignored", "null", "another"] as const)(
    "fails and leaves no key if the service answers with another project scope (%s)",
    async (mode) => {
      const stack = await start(mode);
      const run = await stack.up({ ci: declare(MINE) });
      expect(codeOf(run)).toBe("KP-SCOPE");
      expect(await stack.live()).toEqual([]);
      // Another request would get the same answer.
      expect(run.requests.filter((route) => route !== LIST)).toEqual([MAKE, REVOKE]);
    },
  );

  test("fails and leaves no key if a key without a project is limited to one", async () => {
    const stack = await start("another");
    expect(codeOf(await stack.up({ ci: declare({ organizationId: ORGANIZATION }) }))).toBe("KP-SCOPE");
    expect(await stack.live()).toEqual([]);
  });

  test("records the id of a key with another project scope that could not be revoked", async () => {
    const stack = await start("null");
    await stack.plane.rules.add({ route: REVOKE, status: 500, count: null });
    await stack.up({ ci: declare(MINE) });
    expect(stack.outputs().pendingRevocations).toEqual(await stack.live());
  });

  test.each([
    ["null", null],
    ["another project", "other"],
  ])("is replaced after a refresh in which the list shows %s", async (_said, said) => {
    const stack = await start();
    await stack.up({ ci: declare(MINE) });
    expect((await stack.refresh()).steps.ci).toBe("same");
    await listing(stack, said);
    const refresh = await stack.refresh();
    expect(refresh.steps.ci).toBe("drift");
    expect(refresh.warn).toEqual([expect.stringContaining(said ?? "not limited")]);
    expect((await stack.preview({ ci: declare(MINE) })).steps.ci).toBe("replace");
    // The next refresh finds what the state says.
    expect((await stack.refresh()).warn).toEqual([]);
  });
});

test("a rotation that gets a key with another project scope fails, revokes it, and leaves the old one", async () => {
  const stack = await start();
  await stack.up({ ci: rotating({ ...MINE, rotationTriggers: { at: 1 } }) });
  const before = await stack.live();
  await stack.plane.state.switch({ projectKeys: "ignored" });
  expect(codeOf(await stack.up({ ci: rotating({ ...MINE, rotationTriggers: { at: 2 } }) }))).toBe("KP-SCOPE");
  expect(await stack.live()).toEqual(before);
});

test("a previous key that the list shows with another project scope is named in a refresh, and the resource stays", async () => {
  const stack = await start();
  await stack.up({ ci: rotating({ ...MINE, rotationTriggers: { at: 1 } }) });
  await stack.up({ ci: rotating({ ...MINE, rotationTriggers: { at: 2 } }) });
  await listing(stack, null, "mine");
  const run = await stack.refresh();
  expect(run.steps.ci).toBe("same");
  expect(run.warn).toEqual([expect.stringContaining(String(stack.outputs().previousKeyId))]);
});
