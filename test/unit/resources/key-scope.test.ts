import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { diff } from "../../../provider/schema/diff";
import type { Outputs, Properties } from "../../../provider/schema/outputs";
import { NotReady } from "../../../provider/schema/resource-type";
import type { LiveKey, ProjectKeys } from "../../../testing/control-plane";
import { caught } from "../http/caught";
import { failureOf, json, OWNER, StackHarness } from "./harness";

const ORGANIZATION = "org-local-1";
const MAKE = "POST /organizations/{org_id}/api_keys";
const LIST = "GET /organizations/{org_id}/api_keys";
const REVOKE = "DELETE /organizations/{org_id}/api_keys/{key_id}";

const TYPES = [
  ["ApiKey", resourceTypes.ApiKey],
  ["RotatingApiKey", resourceTypes.RotatingApiKey],
] as const;

/** A stack in an organization with the projects `mine` and `other`, and the inputs of a key for `mine`. */
async function start(projectKeys: ProjectKeys = "limited") {
  const keys = () => harness.account.keysOf(ORGANIZATION);
  const scope = { account: undefined, organizationId: ORGANIZATION };
  const harness: StackHarness = await StackHarness.start({ keys, scope });
  for (const id of ["mine", "other"]) await harness.plane.state.createProject({ id });
  await harness.plane.state.switch({ projectKeys });
  return { harness, inputs: json({ owner: OWNER, organizationId: ORGANIZATION, projectId: "mine" }) };
}

/** What the next diff replaces, and whether a refresh shows it. */
function drift(type: (typeof TYPES)[number][1], outputs: Properties | undefined, inputs: Properties) {
  const terms = { now: Date.now(), accountMark: () => "", renamedFrom: () => [], driftOnly: true, hasLedger: true };
  return diff(type, { ...outputs, owner: inputs.owner } as Outputs, inputs, terms).replaces;
}

describe.each(TYPES)("%s for a project", (_, type) => {
  it.each(["ignored", "null", "another"] as const)(
    "fails and leaves no key if the service answers with another scope (%s)",
    async (mode) => {
      const { harness, inputs } = await start(mode);
      const error = await failureOf(type.create(inputs, harness.context));
      expect(error).toMatchObject({ code: "KP-SCOPE", message: expect.stringContaining("projectId") });
      expect(await harness.liveIds()).toEqual([]);
      // Another request would get the same answer.
      const sent = (await harness.requests()).filter((route) => route !== LIST);
      expect(sent).toEqual([MAKE, REVOKE]);
    },
  );

  it("fails and leaves no key if a key without a project is limited to one", async () => {
    const { harness, inputs } = await start("another");
    const error = await caught(type.create(json({ ...inputs, projectId: undefined }), harness.context));
    expect(error).toMatchObject({ code: "KP-SCOPE" });
    expect(await harness.liveIds()).toEqual([]);
  });

  it("records the id of a key with another scope that could not be revoked", async () => {
    const { harness, inputs } = await start("null");
    await harness.plane.rules.add({ route: REVOKE, status: 500, count: null });
    const error = await failureOf(type.create(inputs, harness.context));
    const [id] = await harness.liveIds();
    expect(error).toBeInstanceOf(NotReady);
    expect((error as NotReady).outputs).toMatchObject({ pendingRevocations: [id] });
  });

  it("is created if nothing says its scope, with one warning", async () => {
    const { harness, inputs } = await start("unsaid");
    const warnings: string[] = [];
    harness.account.onWarning = (text) => warnings.push(text);
    const made = await type.create(inputs, harness.context);
    expect(made.outputs).toMatchObject({ projectId: "mine" });
    expect(warnings).toHaveLength(1);
    expect(drift(type, await type.read(made.id, made.outputs, harness.context), inputs)).toEqual([]);
  });

  it.each([
    ["null", null],
    ["another project", "other"],
  ])("is replaced after a refresh in which the list shows %s, and says why", async (_said, said) => {
    const { harness, inputs } = await start();
    const { id, outputs } = await type.create(inputs, harness.context);
    expect(drift(type, await type.read(id, outputs, harness.context), inputs)).toEqual([]);
    await harness.plane.rules.add({ route: LIST, body: [await listed(harness, said)], status: 200, count: null });
    await harness.context.keys().list({ fresh: true });
    const read = await type.read(id, outputs, harness.context);
    expect(drift(type, read, inputs)).toEqual(["projectId"]);
    expect(harness.told.warn).toEqual([expect.stringContaining(said ?? "not limited")]);
    // The next refresh finds what the state says.
    await type.read(id, read as Outputs, harness.context);
    expect(harness.told.warn).toHaveLength(1);
  });

  it("is replaced after a refresh in which the list shows a project, although none was requested", async () => {
    const { harness, inputs } = await start();
    const without = json({ ...inputs, projectId: undefined });
    const { id, outputs } = await type.create(without, harness.context);
    await harness.plane.rules.add({ route: LIST, body: [await listed(harness, "mine")], status: 200, count: null });
    await harness.context.keys().list({ fresh: true });
    const read = await type.read(id, outputs, harness.context);
    expect(read).toMatchObject({ projectId: "mine" });
    expect(drift(type, read, without)).toEqual(["projectId"]);
  });
});

describe("a rotation that gets a key with another scope", () => {
  it("fails, revokes the new key, and leaves the old one", async () => {
    const { harness, inputs } = await start();
    const type = resourceTypes.RotatingApiKey;
    const { id, outputs } = await type.create(json({ ...inputs, rotationTriggers: { at: "1" } }), harness.context);
    const before = await harness.liveIds();
    await harness.plane.state.switch({ projectKeys: "ignored" });
    const rotated = json({ ...inputs, rotationTriggers: { at: "2" } });
    expect(await failureOf(type.update(id, outputs, rotated, harness.context))).toMatchObject({
      message: expect.stringContaining("projectId"),
    });
    expect(await harness.liveIds()).toEqual(before);
  });
});

describe("a previous key that the list shows with another scope", () => {
  it("is named in a refresh, and the resource stays", async () => {
    const { harness, inputs } = await start();
    const type = resourceTypes.RotatingApiKey;
    const { id, outputs } = await type.create(json({ ...inputs, rotationTriggers: { at: "1" } }), harness.context);
    const rotated = await type.update(id, outputs, json({ ...inputs, rotationTriggers: { at: "2" } }), harness.context);
    const [current, previous] = await harness.plane.liveKeys();
    const body = [entryOf(current, "mine"), entryOf(previous, null)];
    await harness.plane.rules.add({ route: LIST, body, status: 200, count: null });
    await harness.context.keys().list({ fresh: true });
    expect(drift(type, await type.read(id, rotated, harness.context), inputs)).toEqual([]);
    expect(harness.told.warn).toEqual([expect.stringContaining(`${previous?.id}`)]);
  });
});

describe("an exact name for a key that gets another scope", () => {
  it("is free again", async () => {
    const { harness, inputs } = await start("null");
    const error = await failureOf(resourceTypes.ApiKey.create(json({ ...inputs, name: "ci" }), harness.context));
    expect(error).toMatchObject({ code: "KP-SCOPE" });
    expect(await harness.liveIds()).toEqual([]);
  });
});

describe("a key of an organization that is adopted for a project", () => {
  const handmade = async (harness: StackHarness) => {
    const { id, key } = await harness.context.keys().create("by-hand", { projectId: "mine" });
    return { id, key };
  };

  it("is taken over with a warning if the service does not say its project", async () => {
    const { harness, inputs } = await start();
    const adopt = await handmade(harness);
    await harness.plane.state.switch({ projectKeys: "unsaid" });
    await resourceTypes.RotatingApiKey.create(json({ ...inputs, adopt }), harness.context);
    expect(harness.told.warn).toEqual([expect.stringContaining("projectId mine")]);
  });

  it("is refused if it is limited to another one", async () => {
    const { harness, inputs } = await start();
    const adopt = await handmade(harness);
    const others = json({ ...inputs, projectId: "other", adopt });
    expect(await failureOf(resourceTypes.RotatingApiKey.create(others, harness.context))).toMatchObject({
      code: "KP-ADOPT",
    });
  });
});

/** The list's entry of the only key, with another project. */
async function listed(harness: StackHarness, projectId: string | null): Promise<object> {
  const [key] = await harness.plane.liveKeys();
  return entryOf(key, projectId);
}

function entryOf(key: LiveKey | undefined, projectId: string | null): object {
  const { id, name, createdAt } = key ?? {};
  return { id, name, created_at: createdAt, last_used_at: null, last_used_from_addr: "", project_id: projectId };
}
