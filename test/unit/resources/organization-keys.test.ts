import { describe, expect, it } from "vitest";
import { autoName } from "../../../provider/keys/names";
import { resourceTypes } from "../../../provider/resources/registry";
import { check } from "../../../provider/schema/check";
import type { ControlPlane } from "../../../testing/control-plane";
import { failureOf, OWNER, StackHarness } from "./harness";

const ORGANIZATION = "org-local-1";
const LIST = "GET /organizations/{org_id}/api_keys";
const MAKE = "POST /organizations/{org_id}/api_keys";
const REVOKE = "DELETE /organizations/{org_id}/api_keys/{key_id}";

/** A stack whose keys are those of an organization. */
async function startIn(organizationId: string): Promise<StackHarness> {
  const harness: StackHarness = await StackHarness.start({ keys: () => harness.account.keysOf(organizationId) });
  return harness;
}

/** Makes a key of the organization, or of the account, behind the stack's back. */
async function strangerIn(plane: ControlPlane, path: string, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" };
  const answer = await fetch(plane.url + path, { method: "POST", headers, body: JSON.stringify({ key_name: name }) });
  return String(((await answer.json()) as { id: number }).id);
}

describe("a key of an organization", () => {
  it("is made, found and revoked in the organization's list alone", async () => {
    const harness = await startIn(ORGANIZATION);
    const made = await harness.createKey({ organizationId: ORGANIZATION });
    expect(await harness.readKey(made)).toMatchObject({ organizationId: ORGANIZATION, key: made.outputs.key });
    await harness.deleteKey(made);
    expect(await harness.requests()).toEqual([MAKE, LIST, REVOKE]);
    expect(await harness.liveIds()).toEqual([]);
  });

  it.each([
    ["ApiKey", resourceTypes.ApiKey],
    ["RotatingApiKey", resourceTypes.RotatingApiKey],
  ])("is limited to one project where %s asks for it", async (_, kind) => {
    const harness = await startIn(ORGANIZATION);
    const { id: projectId } = await harness.plane.state.createProject();
    await kind.create({ owner: OWNER, organizationId: ORGANIZATION, projectId }, harness.context);
    expect(await harness.plane.liveKeys()).toMatchObject([{ organizationId: ORGANIZATION, projectId }]);
  });

  it("is limited to a project only together with an organization", async () => {
    const harness = await StackHarness.start();
    const { failures } = check(
      resourceTypes.ApiKey,
      { owner: OWNER, projectId: "quiet-shore-123456" },
      harness.context,
    );
    expect(failures).toEqual([{ property: "projectId", reason: expect.stringContaining("organizationId") }]);
  });

  it.each(["reset", "truncate-length", "hang"] as const)(
    "whose answer is lost (%s) is found in the organization's list and revoked, and another one is made",
    async (fault) => {
      const harness = await startIn(ORGANIZATION);
      await harness.plane.rules.add({ route: MAKE, fault, commit: "before" });
      const { id } = await harness.createKey({ organizationId: ORGANIZATION });
      expect(await harness.liveIds()).toEqual([id]);
      expect(await harness.requests()).toEqual([MAKE, LIST, REVOKE, MAKE]);
    },
  );

  it("is gone when the list, which need not hold the key that asks, is empty", async () => {
    const harness = await startIn(ORGANIZATION);
    const made = await harness.createKey({ organizationId: ORGANIZATION });
    await harness.plane.state.revokeKey(made.id);
    await harness.clock.pass(120_000);
    expect(await harness.readKey(made)).toBeUndefined();
  });

  it("is never gone because the organization cannot be seen", async () => {
    const harness = await startIn("org-unknown");
    const made = {
      id: "100002",
      outputs: { owner: OWNER, organizationId: "org-unknown", name: "ci", keyId: "100002" },
    };
    expect((await failureOf(harness.readKey(made))).message).toMatch(/organization not found/);
    expect((await failureOf(harness.deleteKey(made))).message).toMatch(/organization not found/);
  });

  it("cannot be made with a key of the organization: the message says whose key it takes", async () => {
    const harness = await startIn(ORGANIZATION);
    const { outputs } = await harness.createKey({ organizationId: ORGANIZATION });
    const apiKey = String(outputs.key);
    const minor: StackHarness = harness.beside({ apiKey, context: { keys: () => minor.account.keysOf(ORGANIZATION) } });
    expect((await failureOf(minor.createKey())).message).toMatch(/403.*not allowed for organization.*a key of a user/);
  });

  it("may bear an exact name that a key of the account has, but not one that a key of the organization has", async () => {
    const harness = await startIn(ORGANIZATION);
    await strangerIn(harness.plane, "/api_keys", "ci");
    const { outputs } = await harness.createKey({ organizationId: ORGANIZATION, name: "ci" });
    expect(outputs.name).toBe("ci");
    await strangerIn(harness.plane, `/organizations/${ORGANIZATION}/api_keys`, "deploy");
    const failure = await failureOf(harness.createKey({ organizationId: ORGANIZATION, name: "deploy" }));
    expect(failure.message).toContain("the name deploy is taken by key");
  });

  it("is not deleted before its replacement is made in another place, where its exact name is free", () => {
    const here = { owner: OWNER, name: "ci", mintedBy: "aaaaaaaa", organizationId: ORGANIZATION };
    expect(resourceTypes.ApiKey.deleteBeforeReplace?.(here, { owner: OWNER, name: "ci" })).toBe(false);
    expect(resourceTypes.ApiKey.deleteBeforeReplace?.(here, { ...here, projectId: "p" })).toBe(true);
  });
});

describe("the ledger and the owner of an organization", () => {
  it("revoke what a crash has left behind there, and nothing in the account's list", async () => {
    const harness = await startIn(ORGANIZATION);
    const elsewhere = await harness.plane.state.createKey(autoName("ci", OWNER));
    await harness.createKey({ organizationId: ORGANIZATION });
    const { id } = await harness.createKey({ organizationId: ORGANIZATION });
    await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([String(elsewhere.id), id].sort());
    harness.context.run.held.add(id);
    await harness.createKey({ organizationId: ORGANIZATION });
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toEqual([String(elsewhere.id), id].sort());
  });

  it("leave the keys of a place that the program declares to the owner that takes over", async () => {
    const harness = await startIn(ORGANIZATION);
    const inputs = { project: "proj", stack: "renamed", organizationId: ORGANIZATION };
    expect(check(resourceTypes.Owner, inputs, harness.context).failures).toEqual([]);
    const { id } = await harness.createKey({ organizationId: ORGANIZATION });
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toEqual([id]);
  });
});
