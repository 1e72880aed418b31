import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { ownerTag } from "../../../provider/keys/names";
import { check } from "../../../provider/schema/check";
import type { ControlPlane } from "../../../testing/control-plane";
import { generatedName } from "../../generated-name";
import { failureOf, json, OWNER, StackHarness } from "./harness";

const ORGANIZATION = "org-local-1";
const LIST = "GET /organizations/{org_id}/api_keys";
const MAKE = "POST /organizations/{org_id}/api_keys";
const REVOKE = "DELETE /organizations/{org_id}/api_keys/{key_id}";

/** A secret in a state. */
const ENCRYPTED = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };

/** A stack whose keys belong to an organization. */
async function startIn(organizationId: string): Promise<StackHarness> {
  const keys = () => harness.account.keysOf(organizationId);
  const harness: StackHarness = await StackHarness.start({ keys, scope: { account: undefined, organizationId } });
  return harness;
}

/** Creates a key of the organization or of the account outside the stack. */
async function strangerIn(plane: ControlPlane, path: string, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" };
  const answer = await fetch(plane.url + path, { method: "POST", headers, body: JSON.stringify({ key_name: name }) });
  return String(((await answer.json()) as { id: number }).id);
}

describe("a key of an organization", () => {
  it("is created, found and revoked only in the organization's list", async () => {
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
  ])("is limited to one project if %s requests it", async (_, kind) => {
    const harness = await startIn(ORGANIZATION);
    const { id: projectId } = await harness.plane.state.createProject();
    await kind.create(json({ owner: OWNER, organizationId: ORGANIZATION, projectId }), harness.context);
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
    "whose answer is lost (%s) is found in the organization's list and revoked, and another one is created",
    async (fault) => {
      const harness = await startIn(ORGANIZATION);
      await harness.plane.rules.add({ route: MAKE, fault, commit: "before" });
      const { id } = await harness.createKey({ organizationId: ORGANIZATION });
      expect(await harness.liveIds()).toEqual([id]);
      expect(await harness.requests()).toEqual([MAKE, LIST, REVOKE, MAKE]);
    },
  );

  it("is gone if the list is empty, because this list need not contain the calling key", async () => {
    const harness = await startIn(ORGANIZATION);
    const made = await harness.createKey({ organizationId: ORGANIZATION });
    await harness.plane.state.revokeKey(made.id);
    await harness.clock.pass(120_000);
    expect(await harness.readKey(made)).toBeUndefined();
  });

  it("does not count as gone if the organization cannot be read", async () => {
    const harness = await startIn("org-unknown");
    const made = {
      id: "100002",
      outputs: { owner: OWNER, organizationId: "org-unknown", name: "ci", keyId: "100002" },
    };
    expect((await failureOf(harness.readKey(made))).message).toMatch(/organization not found/);
    expect((await failureOf(harness.deleteKey(made))).message).toMatch(/organization not found/);
  });

  it("cannot be created with a key of the organization, and the message says which key is needed", async () => {
    const harness = await startIn(ORGANIZATION);
    const { outputs } = await harness.createKey({ organizationId: ORGANIZATION });
    const apiKey = String(outputs.key);
    const minor: StackHarness = harness.beside({ apiKey, context: { keys: () => minor.account.keysOf(ORGANIZATION) } });
    expect((await failureOf(minor.createKey())).message).toMatch(/403.*not allowed for organization.*a key of a user/);
  });

  it("can have the exact name of a key of the account, but not of a key of the organization", async () => {
    const harness = await startIn(ORGANIZATION);
    await strangerIn(harness.plane, "/api_keys", "ci");
    const { outputs } = await harness.createKey({ organizationId: ORGANIZATION, name: "ci" });
    expect(outputs.name).toBe("ci");
    await strangerIn(harness.plane, `/organizations/${ORGANIZATION}/api_keys`, "deploy");
    const failure = await failureOf(harness.createKey({ organizationId: ORGANIZATION, name: "deploy" }));
    expect(failure.message).toContain("the name deploy is taken by key");
  });

  it("is not deleted before its replacement in another scope is created, because its exact name is free there", () => {
    const here = { owner: OWNER, name: "ci", mintedBy: ownerTag(OWNER), organizationId: ORGANIZATION };
    expect(resourceTypes.ApiKey.deleteBeforeReplace?.(here, json({ owner: OWNER, name: "ci" }))).toBe(false);
    expect(resourceTypes.ApiKey.deleteBeforeReplace?.(here, json({ ...here, projectId: "p" }))).toBe(true);
  });
});

describe("the ledger and the owner of an organization", () => {
  it("revoke what a crash left in the organization, and nothing in the account's list", async () => {
    const harness = await startIn(ORGANIZATION);
    const elsewhere = await harness.plane.state.createKey(generatedName("ci", OWNER));
    await harness.createKey({ organizationId: ORGANIZATION });
    const { id, outputs } = await harness.createKey({ organizationId: ORGANIZATION });
    harness.save().add({ id, outputs });
    await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([String(elsewhere.id), id].sort());
    harness.context.run.ledger = { ...harness.context.run.ledger, held: new Set([id]) };
    await harness.createKey({ organizationId: ORGANIZATION });
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([String(elsewhere.id), id].sort());
  });

  it.each([
    ["", ORGANIZATION],
    [", and also if its id is encrypted", ENCRYPTED],
  ])("report what a crash left if a key of the organization is missing there%s", async (_, organizationId) => {
    const harness = await startIn(ORGANIZATION);
    const gone = await harness.createKey({ organizationId: ORGANIZATION });
    const left = await harness.createKey({ organizationId: ORGANIZATION });
    harness.save().add({ ...gone, outputs: { ...gone.outputs, organizationId } });
    await harness.plane.state.revokeKey(gone.id);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([left.id]);
    const warnings = harness.told.warn.join();
    expect(warnings).toContain("the account lacks a key that this stack holds");
    // The command finds the key only in the list of its organization.
    expect(warnings).toContain(`\`npx keyplane revoke ${left.id} --organization ${ORGANIZATION}\``);
  });

  it("revoke what a crash left if only a key of the account is missing, which proves nothing about the organization", async () => {
    const harness = await startIn(ORGANIZATION);
    await harness.createKey({ organizationId: ORGANIZATION });
    harness.save().add({ id: "4711", outputs: { owner: harness.identity } });
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([]);
  });

  it("leave the keys of a scope that the program still declares to the new owner", async () => {
    const harness = await startIn(ORGANIZATION);
    const inputs = { project: "proj", stack: "renamed", organizationId: ORGANIZATION };
    expect(check(resourceTypes.Owner, inputs, harness.context).failures).toEqual([]);
    const { id } = await harness.createKey({ organizationId: ORGANIZATION });
    harness.save();
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([id]);
  });
});
