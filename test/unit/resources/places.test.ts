import { describe, expect, test } from "vitest";
import { codeOf, key, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST } from "../../routes";

const ORGANIZATION = "org-local-1";
const THERE = { organizationId: ORGANIZATION };
const [LIST_THERE, POST_THERE, DELETE_THERE] = ["GET", "POST", "DELETE"].map(
  (method) => `${method} /organizations/{org_id}/api_keys${method === "DELETE" ? "/{key_id}" : ""}`,
);

describe("a key of an organization", () => {
  test("is created, found and revoked only in the organization's list", async () => {
    const stack = await TestStack.start();
    expect((await stack.up({ ci: key(THERE) })).requests).toEqual([LIST_THERE, POST_THERE]);
    expect((await stack.refresh()).requests).toEqual([LIST_THERE]);
    expect((await stack.destroy()).requests).toEqual([LIST_THERE, DELETE_THERE]);
    expect(await stack.live()).toEqual([]);
  });

  test("has its orphans in that list alone", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(THERE) }, { dies: "ci" });
    const [left] = await stack.live();
    await stack.up({ db: key() });
    expect(await stack.live()).toContain(left);
    await stack.up({ db: key(), e: rotating(THERE) });
    expect(await stack.live()).not.toContain(left);
  });

  test("is limited to a project, and only together with an organization", async () => {
    const stack = await TestStack.start();
    const { id: projectId } = await stack.plane.state.createProject();
    await stack.up({ ci: key({ ...THERE, projectId }), db: rotating({ ...THERE, projectId }) });
    const limited = { ...THERE, projectId };
    expect(await stack.plane.liveKeys()).toEqual([expect.objectContaining(limited), expect.objectContaining(limited)]);
    expect(codeOf(await stack.preview({ e: key({ projectId }) }), "e")).toBe("KP-INPUT");
  });

  test("that moves is created there before it is revoked here, also under an exact name", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key({ name: "deploy" }) });
    const run = await stack.up({ ci: key({ name: "deploy", ...THERE }) });
    expect(run).toMatchObject({ steps: { ci: "replace" }, succeeded: true });
    expect(run.requests.indexOf(POST_THERE ?? "")).toBeLessThan(run.requests.indexOf(DELETE));
    expect(await stack.live()).toHaveLength(1);
  });

  test("is gone if the list is empty and the secret does not work, because the list need not have the calling key", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(THERE) });
    await stack.clock.pass(120_000);
    await stack.plane.rules.add({ route: String(LIST_THERE), status: 200, body: [], count: 2 });
    expect(codeOf(await stack.refresh())).toBe("KP-ANSWER");
    await stack.plane.state.revokeKey(String(stack.outputs().keyId));
    expect((await stack.refresh()).steps.ci).toBe("gone");
  });

  test.each([404, 403])(
    "is reported with the way out if the list is refused for good (%i), which proves nothing",
    async (status) => {
      const stack = await TestStack.start();
      await stack.up({ ci: key(THERE) });
      await stack.plane.rules.add({ route: String(LIST_THERE), status, count: null });
      const way = `pulumi state delete 'urn:pulumi:dev::app::pulumi-nodejs:dynamic/keyplane:ApiKey::ci'`;
      for (const run of [await stack.refresh(), await stack.destroy()]) {
        expect(codeOf(run)).toBe(status === 404 ? "KP-NOT-FOUND" : "KP-AUTH");
        // Before the `up`, the command fails, or a later `up` creates the key again.
        const [before, after] = String(run.errors.ci).split(way);
        expect([before, after]).toEqual([
          expect.stringContaining("`pulumi up`"),
          expect.not.stringContaining("`pulumi up`"),
        ]);
        expect(run.errors.ci).toContain(`revoke key ${stack.outputs().keyId} `);
      }
      expect(stack.resources).toHaveLength(1);
    },
  );

  test("shows no such way if the credential is wrong, or the list of the account is refused", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(THERE), here: key() });
    await stack.plane.rules.add({ route: String(LIST_THERE), status: 401, count: null });
    await stack.plane.rules.add({ route: LIST, status: 403, count: null });
    const { errors } = await stack.refresh();
    expect(Object.keys(errors).sort()).toEqual(["ci", "here"]);
    expect(Object.values(errors).join()).not.toContain("state delete");
  });

  test("is the same account under another credential", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(THERE) });
    await stack.clock.pass(120_000);
    const { key: apiKey } = await stack.plane.state.createKey("admin-2");
    stack.settings = { ...stack.settings, apiKey };
    await stack.plane.state.revokeKey(String(stack.outputs().keyId));
    expect((await stack.destroy()).errors).toEqual({});
    expect(stack.resources).toEqual([]);
  });
});

test("each account of a program has its own list and its own creations", async () => {
  const stack = await TestStack.start();
  const plane = await stack.elsewhere();
  const accounts = JSON.stringify({ eu: { apiKey: plane.apiKey, baseUrl: plane.url } });
  stack.settings = { ...stack.settings, accounts };
  const run = await stack.up({ ci: key(), eu: key({ account: "eu" }), db: rotating({ account: "eu" }) });
  expect(run.errors).toEqual({});
  expect(run.requests).toEqual([LIST, POST]);
  expect((await plane.log()).map(({ method }) => method)).toEqual(["GET", "POST", "POST"]);
  expect(codeOf(await stack.preview({ e: key({ account: "us" }) }), "e")).toBe("KP-CONFIG");
});

describe("an answer that is wrong", () => {
  test.each([
    ["no time, and an invalid date", { omit: ["created_at"], headers: { Date: "soon" } }],
    ["an invalid time", { patch: { created_at: "+275760-09-13T00:00:00Z" } }],
    ["invalid operations", { patch: { operations: [null, 7, {}, { id: "x" }] } }],
    ["a name that is a number", { patch: { name: 7 } }],
  ])("with %s still records the key", async (_, rule) => {
    const stack = await TestStack.start();
    await stack.plane.rules.add({ route: POST, count: 2, ...rule });
    const run = await stack.up({ ci: key({ rotateAfter: "30d" }), db: rotating({ rotateAfter: "30d" }) });
    expect(run.errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs("ci").keyId, stack.outputs("db").keyId].sort());
    expect(Date.parse(String(stack.outputs("ci").createdAt))).not.toBeNaN();
  });

  test.each(["name", "created_by", "operations"])(
    "with the secret as its %s shows it in no output and no message",
    async (field) => {
      const stack = await TestStack.start();
      const secret = `kp_live_echo_${field}_7Hq2xVn4`;
      const operation = { id: secret, project_id: "quiet-shore-123456", action: `start ${secret}`, status: "failed" };
      await stack.plane.rules.add({
        route: POST,
        patch: { key: secret, [field]: field === "operations" ? [operation] : secret },
      });
      const run = await stack.up({ ci: key({ operationTimeout: "1s" }) });
      const { key: _, ...clear } = stack.outputs();
      expect(JSON.stringify([clear, run])).not.toContain(secret);
    },
  );

  test("with the id of keyplane's own credential does not get that revoked", async () => {
    const stack = await TestStack.start();
    const [own] = (await (
      await fetch(`${stack.plane.url}/api_keys`, { headers: { authorization: `Bearer ${stack.plane.apiKey}` } })
    ).json()) as { id: number }[];
    await stack.plane.rules.add({ route: POST, patch: { id: own?.id } });
    await stack.up({ ci: key() });
    await stack.clock.pass(120_000);
    expect(codeOf(await stack.destroy())).toBe("KP-ID-MISMATCH");
    expect((await stack.refresh()).requests).toEqual([LIST]);
  });
});
