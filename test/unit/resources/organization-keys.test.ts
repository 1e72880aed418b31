import { describe, expect, it } from "vitest";
import { check, kinds } from "../../../provider/resources";
import { autoName } from "../../../provider/resources/names";
import type { ControlPlane } from "../../kit/control-plane";
import { Bench, failureOf, OWNER } from "./harness";

const ORGANIZATION = "org-local-1";
const LIST = "GET /organizations/{org_id}/api_keys";
const MAKE = "POST /organizations/{org_id}/api_keys";
const REVOKE = "DELETE /organizations/{org_id}/api_keys/{key_id}";

/** A stack whose keys are those of an organization. */
async function startIn(organizationId: string): Promise<Bench> {
  const bench: Bench = await Bench.start({ keys: () => bench.account.keysOf(organizationId) });
  return bench;
}

/** Makes a key of the organization, or of the account, behind the stack's back. */
async function strangerIn(plane: ControlPlane, path: string, name: string): Promise<string> {
  const headers = { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" };
  const answer = await fetch(plane.url + path, { method: "POST", headers, body: JSON.stringify({ key_name: name }) });
  return String(((await answer.json()) as { id: number }).id);
}

describe("a key of an organization", () => {
  it("is made, found and revoked in the organization's list alone", async () => {
    const bench = await startIn(ORGANIZATION);
    const made = await bench.createKey({ organizationId: ORGANIZATION });
    expect(await bench.readKey(made)).toMatchObject({ organizationId: ORGANIZATION, key: made.outputs.key });
    await bench.deleteKey(made);
    expect(await bench.requests()).toEqual([MAKE, LIST, REVOKE]);
    expect(await bench.liveIds()).toEqual([]);
  });

  it.each([
    ["ApiKey", kinds.ApiKey],
    ["RotatingApiKey", kinds.RotatingApiKey],
  ])("is limited to one project where %s asks for it", async (_, kind) => {
    const bench = await startIn(ORGANIZATION);
    const { id: projectId } = await bench.plane.state.createProject();
    await kind.create({ owner: OWNER, organizationId: ORGANIZATION, projectId }, bench.context);
    expect(await bench.plane.liveKeys()).toMatchObject([{ organizationId: ORGANIZATION, projectId }]);
  });

  it("is limited to a project only together with an organization", async () => {
    const bench = await Bench.start();
    const { failures } = check(kinds.ApiKey, { owner: OWNER, projectId: "quiet-shore-123456" }, bench.context);
    expect(failures).toEqual([{ property: "projectId", reason: expect.stringContaining("organizationId") }]);
  });

  it.each(["reset", "truncate-length", "hang"] as const)(
    "whose answer is lost (%s) is found in the organization's list and revoked, and another one is made",
    async (fault) => {
      const bench = await startIn(ORGANIZATION);
      await bench.plane.rules.add({ route: MAKE, fault, commit: "before" });
      const { id } = await bench.createKey({ organizationId: ORGANIZATION });
      expect(await bench.liveIds()).toEqual([id]);
      expect(await bench.requests()).toEqual([MAKE, LIST, REVOKE, MAKE]);
    },
  );

  it("is gone when the list, which need not hold the key that asks, is empty", async () => {
    const bench = await startIn(ORGANIZATION);
    const made = await bench.createKey({ organizationId: ORGANIZATION });
    await bench.plane.state.revokeKey(made.id);
    await bench.clock.pass(120_000);
    expect(await bench.readKey(made)).toBeUndefined();
  });

  it("is never gone because the organization cannot be seen", async () => {
    const bench = await startIn("org-unknown");
    const made = {
      id: "100002",
      outputs: { owner: OWNER, organizationId: "org-unknown", name: "ci", keyId: "100002" },
    };
    expect((await failureOf(bench.readKey(made))).message).toMatch(/organization not found/);
    expect((await failureOf(bench.deleteKey(made))).message).toMatch(/organization not found/);
  });

  it("cannot be made with a key of the organization: the message says whose key it takes", async () => {
    const bench = await startIn(ORGANIZATION);
    const { outputs } = await bench.createKey({ organizationId: ORGANIZATION });
    const apiKey = String(outputs.key);
    const minor: Bench = bench.beside({ apiKey, context: { keys: () => minor.account.keysOf(ORGANIZATION) } });
    expect((await failureOf(minor.createKey())).message).toMatch(/403.*not allowed for organization.*a key of a user/);
  });

  it("may bear an exact name that a key of the account has, but not one that a key of the organization has", async () => {
    const bench = await startIn(ORGANIZATION);
    await strangerIn(bench.plane, "/api_keys", "ci");
    const { outputs } = await bench.createKey({ organizationId: ORGANIZATION, name: "ci" });
    expect(outputs.name).toBe("ci");
    await strangerIn(bench.plane, `/organizations/${ORGANIZATION}/api_keys`, "deploy");
    const failure = await failureOf(bench.createKey({ organizationId: ORGANIZATION, name: "deploy" }));
    expect(failure.message).toContain("the name deploy is taken by key");
  });

  it("is not deleted before its replacement is made in another place, where its exact name is free", () => {
    const here = { owner: OWNER, name: "ci", mintedBy: "aaaaaaaa", organizationId: ORGANIZATION };
    expect(kinds.ApiKey.deleteBeforeReplace?.(here, { owner: OWNER, name: "ci" })).toBe(false);
    expect(kinds.ApiKey.deleteBeforeReplace?.(here, { ...here, projectId: "p" })).toBe(true);
  });
});

describe("the ledger and the owner of an organization", () => {
  it("revoke what a crash has left behind there, and nothing in the account's list", async () => {
    const bench = await startIn(ORGANIZATION);
    const elsewhere = await bench.plane.state.createKey(autoName("ci", OWNER));
    await bench.createKey({ organizationId: ORGANIZATION });
    const { id } = await bench.createKey({ organizationId: ORGANIZATION });
    await bench.sweep([id]);
    expect(await bench.liveIds()).toEqual([String(elsewhere.id), id].sort());
    bench.context.run.held.add(id);
    await bench.createKey({ organizationId: ORGANIZATION });
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toEqual([String(elsewhere.id), id].sort());
  });

  it("leave the keys of a place that the program declares to the owner that takes over", async () => {
    const bench = await startIn(ORGANIZATION);
    const inputs = { project: "proj", stack: "renamed", organizationId: ORGANIZATION };
    expect(check(kinds.Owner, inputs, bench.context).failures).toEqual([]);
    const { id } = await bench.createKey({ organizationId: ORGANIZATION });
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toEqual([id]);
  });
});
