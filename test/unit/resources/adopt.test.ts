import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { noteHolder } from "../../../provider/keys/holders";
import { autoName } from "../../../provider/keys/names";
import { check } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import { UNKNOWN } from "../../../provider/schema/field-types";
import type { Properties } from "../../../provider/schema/outputs";
import { RunNotes } from "../../../provider/schema/resource-type";
import { generatedName } from "../../generated-name";
import { failureOf, OTHER_OWNER, OWNER, StackHarness } from "./harness";
import { DAY, RotatingStack } from "./rotating-stack";

const LIST = "GET /api_keys";

/** A harness whose service has a key that was created by hand 40 days ago and last used two hours ago. */
async function started() {
  const harness = await StackHarness.start();
  const adopt = await handmade(harness, "made-by-hand");
  return { harness, adopt };
}

async function handmade(harness: StackHarness, name: string): Promise<{ id: string; key: string }> {
  const { id, key } = await harness.plane.state.createKey(name);
  await harness.clock.pass(40 * DAY);
  await harness.plane.state.useKey(id, 2 * 3_600_000);
  return { id: String(id), key };
}

/** The message with which `create` refuses an adoption. Checks that nothing has changed. */
async function refused(harness: StackHarness, inputs: Properties): Promise<Error & { code?: string }> {
  const before = await harness.liveIds();
  const failure = await failureOf(resourceTypes.RotatingApiKey.create({ owner: OWNER, ...inputs }, harness.context));
  expect(await harness.liveIds()).toEqual(before);
  expect(failure.message).not.toContain((inputs.adopt as { key: string }).key);
  return failure;
}

describe("a key that was created by hand", () => {
  it("is adopted with two lists and no POST, and costs nothing until it is rotated like any other key", async () => {
    const { harness, adopt } = await started();
    const stack = await RotatingStack.start({ adopt, namePrefix: "mine", gracePeriod: "2h" }, harness);
    expect(await harness.requests()).toEqual([LIST, LIST, LIST]);
    expect(stack.outputs).toMatchObject({ keyId: adopt.id, name: "made-by-hand", key: adopt.key });
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    const args = { namePrefix: "mine", gracePeriod: "2h" };
    expect(await stack.up({ ...args })).toEqual({ changed: false, reasons: [] });
    expect(await harness.requests(3)).toEqual([]);

    await stack.up({ ...args, rotationTriggers: { run: 1 } });
    await stack.up({ ...args, rotationTriggers: { run: 2 } });
    expect(stack.outputs).toMatchObject({ previousKeyId: adopt.id, previousKey: adopt.key });
    expect(stack.outputs?.name).toMatch(/^mine-/);
    await harness.clock.pass(DAY);
    await stack.up();
    expect(await harness.liveIds()).toEqual([stack.current]);
    expect(stack.warnings).toBe("");
  });

  it("of another stack is adopted with a warning, because that stack can revoke it", async () => {
    const harness = await StackHarness.start();
    const adopt = await handmade(harness, generatedName("ci", OTHER_OWNER));
    const stack = await RotatingStack.start({ adopt }, harness);
    expect(stack.current).toBe(adopt.id);
    expect(stack.warnings).toContain("a name like those that another stack of keyplane generates");
  });

  it.each([
    ["is reported", undefined],
    ["is not reported if the next run gives it a successor", "30d"],
  ])("and has a deadline in its name, at which keyplane reap revokes it, %s", async (_, maxAge) => {
    const harness = await StackHarness.start();
    const deadline = "2099-01-02T03:04:00.000Z";
    const adopt = await handmade(harness, autoName("lost", OTHER_OWNER, "abcdefgh", Date.parse(deadline)));
    const stack = await RotatingStack.start({ adopt, ...(maxAge !== undefined && { maxAge }) }, harness);
    expect(stack.warnings.includes(deadline)).toBe(maxAge === undefined);
  });

  it("appears in the outputs only as the current key, so that the program can remove its secret", async () => {
    const { harness, adopt } = await started();
    const { outputs } = await RotatingStack.start({ adopt }, harness);
    const { key, ...others } = outputs ?? {};
    expect(key).toBe(adopt.key);
    expect(JSON.stringify(others)).not.toContain(adopt.key);
    expect(others.adopt).toBeUndefined();
  });

  it("keeps its real age, and is rotated by it in the run after the adoption", async () => {
    const { harness, adopt } = await started();
    const stack = await RotatingStack.start({ adopt, rotateAfter: "30d" }, harness);
    expect(stack.current).toBe(adopt.id);
    expect(await stack.up()).toMatchObject({ changed: true, reasons: [expect.stringMatching(/40d old$/)] });
    expect(stack.previous).toBe(adopt.id);
  });

  it("is revoked when the resource is deleted, and stays live if revokeOnDelete is false", async () => {
    const { harness, adopt } = await started();
    await (await RotatingStack.start({ adopt, revokeOnDelete: false }, harness)).destroy();
    expect(await harness.liveIds()).toEqual([adopt.id]);
    await (await RotatingStack.start({ adopt }, await anew(harness))).destroy();
    expect(await harness.liveIds()).toEqual([]);
  });

  it("is adopted again by the run after a crash, without a loss", async () => {
    const { harness, adopt } = await started();
    await resourceTypes.RotatingApiKey.create({ owner: OWNER, adopt }, harness.context);
    const stack = await RotatingStack.start({ adopt }, await anew(harness));
    expect(stack.current).toBe(adopt.id);
    expect(await harness.liveIds()).toEqual([adopt.id]);
  });

  it("is named in the preview of the run that adopts it, which says that no key is created", async () => {
    const { harness, adopt } = await started();
    const { context, told: all } = harness;
    const inputs = { owner: OWNER, adopt };
    const told = () => all.info.splice(0);
    expect(check(resourceTypes.RotatingApiKey, inputs, context).failures).toEqual([]);
    expect(told()).toEqual([`adopts key ${adopt.id}, creates none`]);
    check(resourceTypes.RotatingApiKey, inputs, context, { owner: OWNER, adopt: { ...adopt } });
    check(resourceTypes.RotatingApiKey, { owner: OWNER }, context);
    check(resourceTypes.RotatingApiKey, { owner: OWNER, adopt: UNKNOWN }, context);
    const stack = await RotatingStack.start({ adopt }, harness);
    told();
    noteHolder(resourceTypes.RotatingApiKey, { id: stack.id, outputs: stack.outputs ?? {} }, context);
    check(resourceTypes.RotatingApiKey, inputs, context);
    expect(told()).toEqual([]);
  });

  it("is not revoked by a stack to which the state of the adopting stack was copied", async () => {
    const { harness, adopt } = await started();
    const stack = await RotatingStack.start({ adopt }, harness);
    stack.harness = harness.beside({ owner: OTHER_OWNER, context: harness.context });
    await stack.up({ rotationTriggers: { run: 1 } });
    await stack.up({ rotationTriggers: { run: 2 } });
    await stack.destroy();
    expect(await harness.liveIds()).toEqual([adopt.id]);
  });

  it("is distinguished from one that is used in the same second", async () => {
    const { harness, adopt } = await started();
    const busy = await harness.plane.state.createKey("busy");
    await harness.plane.state.useKey(busy.id);
    const { outputs } = await RotatingStack.start({ adopt }, harness);
    expect(outputs?.keyId).toBe(adopt.id);
    await harness.plane.state.useKey(busy.id);
    const wrong = { adopt: { id: String(busy.id), key: adopt.key } };
    expect(await refused(await anew(harness), wrong)).toMatchObject({
      code: "KP-ADOPT",
      message: expect.stringContaining(`belongs to another key than ${busy.id}`),
    });
  });
});

describe("an adoption is refused", () => {
  it("if the id is not live", async () => {
    const { harness, adopt } = await started();
    const failure = await refused(harness, { adopt: { ...adopt, id: "99" } });
    expect(failure).toMatchObject({ code: "KP-ADOPT" });
    expect(failure.message).toMatch(/^key 99 is not active in this account.* remove adopt to get a new key$/);
  });

  it("if the service does not accept the secret", async () => {
    const { harness, adopt } = await started();
    const failure = await refused(harness, { adopt: { ...adopt, key: "kp_wrong" } });
    expect(failure.message).toMatch(/does not accept the secret in adopt.key/);
    expect(await harness.requests()).toEqual([LIST]);
  });

  it("if id and secret belong to two keys, even if one is keyplane's own", async () => {
    const { harness, adopt } = await started();
    const other = await handmade(harness, "another");
    const admin = (await harness.account.keys.list()).find(({ name }) => name === "admin");
    for (const id of [other.id, String(admin?.id)]) {
      const failure = await refused(harness, { adopt: { id, key: adopt.key } });
      expect(failure.message).toContain(`belongs to another key than ${id}`);
    }
  });

  it("without any request if it is the key with which keyplane authenticates", async () => {
    const { harness, adopt } = await started();
    const failure = await refused(harness, { adopt: { ...adopt, key: harness.plane.apiKey } });
    expect(failure).toMatchObject({ code: "KP-OWN-CREDENTIAL", message: expect.stringContaining("keyplane:apiKey") });
    expect(failure.message).toMatch(/^the secret in adopt\.key is the one that keyplane authenticates with/);
    // The secret shows nothing about the id next to it.
    expect(failure.message).not.toContain(adopt.id);
    expect(await harness.requests()).toEqual([]);
  });

  it("in the preview, which makes no request, if the refusal needs none", async () => {
    const { harness, adopt } = await started();
    const { context, told } = harness;
    const failures = (inputs: Properties) => check(resourceTypes.RotatingApiKey, inputs, context).failures;
    const own = { owner: OWNER, adopt: { ...adopt, key: harness.plane.apiKey } };
    expect(failures(own)).toEqual([
      {
        property: "",
        reason: expect.stringMatching(/^the secret in adopt\.key is the one that keyplane authenticates with/),
        code: "KP-OWN-CREDENTIAL",
      },
    ]);
    // A resource that exists has adopted its key: the credential changed later.
    const { failures: none } = check(resourceTypes.RotatingApiKey, own, context, own);
    expect(none).toEqual([]);
    noteHolder(
      resourceTypes.ApiKey,
      { id: "1", outputs: { keyId: adopt.id } },
      { ...context, urn: "urn:pulumi:dev::app::t::old" },
    );
    expect(failures({ owner: OWNER, adopt })).toEqual([
      { property: "", reason: expect.stringContaining(`key ${adopt.id} belongs to "old"`), code: "KP-ADOPT" },
    ]);
    expect(told.info).toEqual([]);
    expect(await harness.requests()).toEqual([]);
  });

  it("if this stack created the key itself", async () => {
    const harness = await StackHarness.start();
    const failure = await refused(harness, { adopt: await handmade(harness, generatedName("ci", OWNER)) });
    expect(failure.message).toMatch(/was created by this stack/);
  });

  it("if another resource of the stack holds the key", async () => {
    const { harness, adopt } = await started();
    const stack = await RotatingStack.start({ adopt }, harness);
    harness.context.run.holders.clear();
    noteHolder(resourceTypes.RotatingApiKey, { id: stack.id, outputs: stack.outputs ?? {} }, harness.context);
    expect((await refused(harness, { adopt })).message).toMatch(/belongs to "ci" in this stack/);
  });

  it("before anything is created if two resources of a program name the same key", async () => {
    const { harness, adopt } = await started();
    const checked = (name: string) => {
      const context = { ...harness.context, urn: `urn:pulumi:dev::app::t::${name}` };
      return check(resourceTypes.RotatingApiKey, { owner: OWNER, adopt }, context).failures;
    };
    expect([checked("app"), checked("app")]).toEqual([[], []]);
    const reason = `names key ${adopt.id}, which "app" also adopts. Only one resource can adopt a key`;
    expect(checked("web")).toEqual([{ property: "adopt.id", reason }]);
  });

  it("if its form is wrong, without the secret in the message", async () => {
    const { harness } = await started();
    for (const adopt of [
      "x",
      {},
      { id: "1" },
      { id: 1, key: "secret" },
      { id: "1", key: "a b" },
      { id: "1", key: "k", at: 1 },
    ]) {
      const { failures } = check(resourceTypes.RotatingApiKey, { owner: OWNER, adopt }, harness.context);
      expect(failures).toEqual([{ property: "adopt", reason: expect.stringMatching(/^must be \{ id, key \}: /) }]);
    }
  });

  it("for an ApiKey, whose replacement would revoke the adopted key", async () => {
    const { harness, adopt } = await started();
    const { failures } = check(resourceTypes.ApiKey, { owner: OWNER, adopt }, harness.context);
    expect(failures).toEqual([
      { property: "adopt", reason: expect.stringMatching(/^is supported only by RotatingApiKey/) },
    ]);
  });

  it("for a resource that already holds another key, or that moves to another scope with its key", async () => {
    const { harness, adopt } = await started();
    const { outputs = {} } = await RotatingStack.start({ adopt }, harness);
    const asked = (inputs: Properties) => () =>
      diff(
        resourceTypes.RotatingApiKey,
        outputs,
        { owner: harness.identity, ...inputs },
        { now: harness.context.now(), driftOnly: false, hasLedger: true },
      );
    expect(asked({ adopt: { ...adopt, id: "99" } })).toThrow(
      new RegExp(`names key 99, but this resource already has key ${adopt.id}\\.`),
    );
    expect(asked({ adopt, organizationId: "org-1" })).toThrow(/Remove adopt, so that the replacement gets a new key/);
    expect(asked({ organizationId: "org-1" })()).toMatchObject({ replaces: ["organizationId"] });
    expect(asked({ adopt })()).toMatchObject({ changes: false });
  });
});

describe("a replacement that adopts the same key again", () => {
  it("keeps it live in the same run and in a run after a crash", async () => {
    const { harness, adopt } = await started();
    const old = await RotatingStack.start({ adopt }, harness);
    const forced = await anew(harness);
    const successor = await RotatingStack.start({ adopt }, forced);
    noteHolder(resourceTypes.RotatingApiKey, { id: successor.id, outputs: successor.outputs ?? {} }, forced.context);
    await resourceTypes.RotatingApiKey.delete(old.id, old.outputs ?? {}, forced.context);
    expect(await harness.liveIds()).toEqual([adopt.id]);
    const later = await anew(harness);
    noteHolder(resourceTypes.RotatingApiKey, { id: successor.id, outputs: successor.outputs ?? {} }, later.context);
    await resourceTypes.RotatingApiKey.delete(old.id, old.outputs ?? {}, later.context);
    expect(await harness.liveIds()).toEqual([adopt.id]);
    await resourceTypes.RotatingApiKey.delete(successor.id, successor.outputs ?? {}, later.context);
    expect(await harness.liveIds()).toEqual([]);
  });
});

/** The same stack in a separate run. */
async function anew(harness: StackHarness): Promise<StackHarness> {
  const { settings, ...told } = harness.context;
  return harness.beside({ context: { ...told, run: new RunNotes(), account: () => harness.account } });
}
