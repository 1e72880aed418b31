import { beforeAll, describe, expect, it, vi } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { keyDigest } from "../../../provider/key-digest";
import { check } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import { UNKNOWN } from "../../../provider/schema/field-types";
import type { Properties } from "../../../provider/schema/outputs";
import { RunNotes } from "../../../provider/schema/resource-type";
import { AgeReader, GitHubReader } from "../seal/opener";
import { failureOf, json, type Made, StackHarness } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

const github = new GitHubReader();
let ann: AgeReader;
let bob: AgeReader;

beforeAll(async () => {
  [ann, bob] = await Promise.all([AgeReader.create(), AgeReader.create()]);
});

/** The text of a sealed key in the outputs. */
function sealedIn(outputs: Properties | undefined, name = "sealedKey"): Properties {
  return (outputs?.[name] ?? {}) as Properties;
}

/** The key that a recipient opens. Checks that no output has it. */
async function opened(harness: StackHarness, outputs: Properties | undefined, reader = ann): Promise<string> {
  const key = await reader.open(sealedIn(outputs).age);
  expect(await harness.account.keys.authenticates(key)).toBe(true);
  expect(JSON.stringify(outputs)).not.toContain(key);
  expect(outputs?.digest).toBe(keyDigest(key));
  return key;
}

function plan({ outputs }: Pick<Made, "outputs">, inputs: Properties) {
  const terms = { now: Date.now(), hasLedger: true, driftOnly: false };
  return diff(resourceTypes.ApiKey, outputs, json({ owner: outputs.owner, ...inputs }), terms);
}

describe("a sealed ApiKey", () => {
  it("records what its recipients can open instead of the secret, with the requests of any other key", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [ann.recipient, bob.recipient], githubActions: { key: github.key } };
    const made = await harness.createKey({ sealTo });
    expect(await harness.requests()).toEqual(["POST /api_keys"]);
    expect(made.outputs).toMatchObject({ key: null, keyId: made.id });
    const key = await opened(harness, made.outputs);
    expect(await opened(harness, made.outputs, bob)).toBe(key);
    expect(github.open(sealedIn(made.outputs).githubActions)).toBe(key);
    expect(plan(made, { sealTo })).toMatchObject({ changes: false });
    expect(plan(made, { sealTo: { ...sealTo, age: [bob.recipient, ann.recipient] } }).changes).toBe(false);
    const updated = await harness.updateKey(made, { sealTo, rotateAfter: "90d" });
    expect(updated.outputs).toMatchObject({ key: null, sealedKey: made.outputs.sealedKey });
    expect(await harness.readKey(updated)).toMatchObject({ key: null, sealedKey: made.outputs.sealedKey });
    await harness.deleteKey(made);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("is replaced if its recipients change, because nobody else can read it", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [ann.recipient] };
    const made = await harness.createKey({ sealTo });
    const other = { age: [ann.recipient, bob.recipient] };
    expect(plan(made, { sealTo: other })).toMatchObject({
      replaces: ["sealTo"],
      reasons: [/cannot be sealed again/].map((text) => expect.stringMatching(text)),
    });
    expect(plan(made, {})).toMatchObject({ replaces: ["sealTo"], reasons: [expect.stringContaining("removed")] });
    const unknown = { githubActions: { key: UNKNOWN } };
    expect(plan(made, { sealTo: unknown })).toMatchObject({ replaces: ["sealTo"] });
    const plain = await harness.createKey();
    const reasons = [expect.stringContaining("history of the stack")];
    expect(plan(plain, { sealTo })).toMatchObject({ replaces: ["sealTo"], reasons });
  });

  it("fails in the preview for a recipient that is invalid or unusable", async () => {
    const harness = await StackHarness.start();
    const wrong = { age: [ann.recipient.slice(0, -1)] };
    for (const type of [resourceTypes.ApiKey, resourceTypes.RotatingApiKey]) {
      const { failures } = check(type, { owner: harness.identity, sealTo: wrong }, harness.context);
      expect(failures).toEqual([{ property: "sealTo", reason: expect.stringContaining("age[0]"), code: "KP-SEAL" }]);
    }
    const everybody = { githubActions: { key: Buffer.alloc(32).toString("base64") } };
    const { failures } = check(resourceTypes.ApiKey, { owner: harness.identity, sealTo: everybody }, harness.context);
    expect(failures).toMatchObject([{ reason: expect.stringContaining("nothing can be sealed to it") }]);
  });

  it("fails before the POST if a package that seals it does not work", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [(await AgeReader.create()).recipient] };
    const encrypt = vi.spyOn((await import("age-encryption")).Encrypter.prototype, "encrypt");
    encrypt.mockRejectedValueOnce(new Error("a file is missing"));
    const failure = await failureOf(harness.createKey({ sealTo }));
    expect(failure).toMatchObject({ code: "KP-SEAL", message: expect.stringContaining("No key was created") });
    expect(await harness.requests()).toEqual([]);
    encrypt.mockRestore();
  });

  it("that cannot be sealed after all is revoked, or recorded to be revoked, and never in readable form", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [(await AgeReader.create()).recipient] };
    // The first text is a trial, which is not repeated for the same recipients.
    const encrypt = vi.spyOn((await import("age-encryption")).Encrypter.prototype, "encrypt");
    encrypt.mockRejectedValue(new Error("out of memory")).mockResolvedValueOnce(new Uint8Array() as never);
    const failure = await failureOf(harness.createKey({ sealTo }));
    expect(failure).toMatchObject({ code: "KP-SEAL", message: expect.stringContaining("revoked again") });
    expect(await harness.liveIds()).toEqual([]);
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 403, count: null });
    const left = await harness.createKey({ sealTo });
    expect(left.outputs).toMatchObject({ pendingRevocations: await harness.liveIds() });
    expect(left.notReady).toMatch(/could not be sealed, so it is still to be revoked: out of memory$/);
    expect(left.outputs.key).toBeUndefined();
    expect(encrypt).toHaveBeenCalledTimes(3);
    encrypt.mockRestore();
  });

  it("is verified by the run that creates it, and replaced if that run cannot, because no other run has the secret", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [ann.recipient] };
    const good = await harness.createKey({ sealTo, verify: true });
    expect(good.outputs.pending).toBeUndefined();
    await harness.plane.rules.add({ route: "GET /projects", status: 500, count: null });
    const bad = await harness.createKey({ sealTo, verify: true });
    expect(bad.notReady).toMatch(
      /500.*\. The key is sealed, so no later run can verify it\. The next `pulumi up` replaces the key$/,
    );
    expect(bad.outputs).toMatchObject({ key: null, pending: [{ action: "verify", status: "failed" }] });
    expect(plan(bad, { sealTo, verify: true }).replaces).toEqual(["pending"]);
  });

  it("says once what the next run does with it, whatever it waits for", async () => {
    const harness = await StackHarness.start();
    const inputs = { sealTo: { age: [ann.recipient] }, operationTimeout: "60s" };
    const pendingAfter = async (course: object, others: Properties) => {
      await harness.plane.rules.add({ route: "POST /api_keys", operations: [{ action: "apply_config", ...course }] });
      return (await harness.createKey({ ...inputs, ...others })).notReady;
    };
    expect(await pendingAfter({ runningMs: null }, {})).toMatch(
      /timed out after 60 s .*[^.]\. The key is saved, sealed\. The next `pulumi up` keeps waiting$/,
    );
    expect(await pendingAfter({ outcome: "failed" }, { verify: true })).toMatch(
      /ended with status failed .*service's console\. The next `pulumi up` replaces the key$/,
    );
  });

  it("is gone only if two lists agree, because nothing can try the secret", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey({ sealTo: { age: [ann.recipient] } });
    await harness.clock.pass(DAY);
    const admin = { id: 1, name: "admin", created_at: "2026-01-01T00:00:00Z", last_used_at: "2026-01-02T00:00:00Z" };
    await harness.plane.rules.add({ route: "GET /api_keys", status: 200, body: [admin], count: 1 });
    expect(await harness.readKey(made)).toMatchObject({ keyId: made.id });
    await harness.plane.state.revokeKey(Number(made.id));
    const later = harness.beside({ context: { run: new RunNotes() } });
    expect(await later.readKey(made)).toBeUndefined();
    // If it works after all, it is live, and the ledger does not report it: the stack had it.
    expect(later.told.warn).toEqual([
      expect.stringContaining(`run \`npx keyplane revoke ${made.id}\``),
      expect.stringContaining("creates a new key"),
    ]);
  });

  it("is taken for gone only after its first minute, in which lists can lag behind", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey({ sealTo: { age: [ann.recipient] } });
    const admin = { id: 1, name: "admin", created_at: "2026-01-01T00:00:00Z", last_used_at: "2026-01-02T00:00:00Z" };
    await harness.plane.rules.add({ route: "GET /api_keys", status: 200, body: [admin], count: 3 });
    expect(await harness.readKey(made)).toMatchObject({ keyId: made.id });
    const gone = await harness.createKey({ sealTo: { age: [ann.recipient] } });
    await harness.plane.state.revokeKey(Number(gone.id));
    expect(await harness.readKey(gone)).toBeUndefined();
  });

  it("is not revoked if keyplane authenticates with it, as the digest of its secret shows", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey({ sealTo: { age: [ann.recipient] } });
    const apiKey = await opened(harness, made.outputs);
    const own = harness.beside({ apiKey });
    const failure = await failureOf(own.deleteKey(made));
    expect(failure).toMatchObject({ code: "KP-OWN-CREDENTIAL" });
    expect(await harness.liveIds()).toEqual([made.id]);
  });

  it("has its triggers digested with a random secret, so that weak ones cannot be guessed from the state", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [ann.recipient] };
    const made = await harness.createKey({ sealTo, rotationTriggers: { pin: "1234" } });
    expect(made.outputs.digestKey).toMatch(/^[a-z2-7]{32}$/);
    expect(made.outputs.triggersDigest).toMatch(/^hmac\./);
    expect(plan(made, { sealTo, rotationTriggers: { pin: "1234" } }).changes).toBe(false);
    expect(plan(made, { sealTo, rotationTriggers: { pin: "1235" } }).replaces).toEqual(["rotationTriggers"]);
    const later = await harness.createKey({ sealTo });
    const first = await harness.updateKey(later, { sealTo, rotationTriggers: { pin: "1" } });
    expect(plan(first, { sealTo, rotationTriggers: { pin: "2" } }).replaces).toEqual(["rotationTriggers"]);
  });

  it("that is to stay live from now on is not used once, and the run says so", async () => {
    const harness = await StackHarness.start();
    const sealTo = { age: [ann.recipient] };
    const made = await harness.createKey({ sealTo });
    const kept = await harness.updateKey(made, { sealTo, revokeOnDelete: false });
    expect(kept.notReady).toBeUndefined();
    expect(harness.told.warn).toEqual([expect.stringContaining("is sealed, so keyplane cannot use it once")]);
  });
});

describe("a sealed RotatingApiKey", () => {
  it("that is to stay live from now on names its previous key, too, which is not used once either", async () => {
    const stack = await RotatingStack.start({ sealTo: { age: [ann.recipient] }, rotationTriggers: { run: 1 } });
    await stack.up({ ...stack.inputs, rotationTriggers: { run: 2 } });
    const { current, previous, harness } = stack;
    harness.told.warn.length = 0;
    await stack.up({ ...stack.inputs, revokeOnDelete: false });
    const warnings = [current, previous].map((id) =>
      expect.stringContaining(`key ${id} is sealed, so keyplane cannot`),
    );
    expect(harness.told.warn).toEqual(warnings);
  });

  it("keeps the previous sealed key for its grace, and has no secret at any time", async () => {
    const stack = await RotatingStack.start({ sealTo: { age: [ann.recipient] }, gracePeriod: "2h" });
    const { harness } = stack;
    const first = await opened(harness, stack.outputs);
    const before = stack.outputs?.sealedKey;
    await stack.up({ ...stack.inputs, rotationTriggers: { run: 1 } });
    expect(stack.outputs).toMatchObject({ key: null, previousSealedKey: null, sealedKey: before });
    await stack.up({ ...stack.inputs, rotationTriggers: { run: 2 } });
    const second = await opened(harness, stack.outputs);
    expect(second).not.toBe(first);
    expect(stack.outputs).toMatchObject({ previousSealedKey: before, previousDigest: keyDigest(first) });
    expect(stack.outputs?.previousKey).toBeUndefined();
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await harness.clock.pass(DAY);
    await stack.up();
    expect(await harness.liveIds()).toEqual([stack.current]);
  });

  it("warns with their ids if a refresh takes its previous or its current key for gone", async () => {
    const stack = await RotatingStack.start({ sealTo: { age: [ann.recipient] }, rotationTriggers: { run: 1 } });
    await stack.up({ ...stack.inputs, rotationTriggers: { run: 2 } });
    const { current, previous, harness } = stack;
    await harness.clock.pass(DAY);
    await harness.plane.state.revokeKey(Number(previous));
    await stack.refresh();
    expect(stack.warnings).toContain(`npx keyplane revoke ${previous}`);
    expect(stack.warnings).not.toContain(`npx keyplane revoke ${current}`);
    await harness.plane.state.revokeKey(Number(current));
    await stack.refresh();
    expect(stack.warnings).toContain(`npx keyplane revoke ${current}`);
  });

  it("names a previous key that two lists lack after its grace, and does not revoke it", async () => {
    const stack = await RotatingStack.start({ sealTo: { age: [ann.recipient] }, rotationTriggers: { run: 1 } });
    await stack.up({ ...stack.inputs, rotationTriggers: { run: 2 } });
    const { current, previous, harness } = stack;
    await harness.clock.pass(DAY);
    await harness.plane.rules.add({ route: "GET /api_keys", lacks: 1, count: 2 });
    await stack.up();
    expect(stack.previous).toBe("");
    expect(await harness.liveIds()).toEqual([previous, current]);
    expect(stack.warnings).toContain(`npx keyplane revoke ${previous}`);
  });

  it("rotates if its recipients change, and a change during the grace waits for its end", async () => {
    const stack = await RotatingStack.start({ gracePeriod: "2h" });
    const { harness } = stack;
    const plain = stack.outputs?.key;
    const toAnn = { ...stack.inputs, sealTo: { age: [ann.recipient] } };
    expect(await stack.up(toAnn)).toMatchObject({ changed: true, reasons: [expect.stringContaining("history")] });
    expect(stack.outputs).toMatchObject({ key: null, previousKey: plain });
    const sealedForAnn = await opened(harness, { ...stack.outputs });

    const toBob = { ...stack.inputs, sealTo: { age: [bob.recipient] } };
    expect(await stack.up(toBob)).toMatchObject({ changed: true });
    expect(harness.told.info.join()).toContain("the recipients in sealTo have changed. The key rotates as soon as");
    expect(stack.outputs?.nextAction).toMatch(/^rotate as soon as key/);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await ann.open(sealedIn(stack.outputs).age)).toBe(sealedForAnn);
    expect(await stack.refresh()).toBe(false);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });

    await harness.clock.pass(DAY);
    await stack.up();
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await opened(harness, stack.outputs, bob);
    await expect(ann.open(sealedIn(stack.outputs).age)).rejects.toThrow();
    expect(await ann.open(sealedIn(stack.outputs, "previousSealedKey").age)).toBe(sealedForAnn);

    await harness.clock.pass(DAY);
    const { sealTo, ...unsealed } = stack.inputs;
    await stack.up(unsealed);
    await stack.up();
    expect(stack.outputs).toMatchObject({ key: expect.any(String) });
    expect(stack.outputs?.digestKey).toBeUndefined();
  });

  it("does not adopt a key, whose readable secret the state would have", async () => {
    const harness = await StackHarness.start();
    const inputs = { owner: harness.identity, sealTo: { age: [ann.recipient] }, adopt: { id: "7", key: "napi_7" } };
    const { failures } = check(resourceTypes.RotatingApiKey, inputs, harness.context);
    expect(failures).toEqual([
      { property: "sealTo", code: "KP-SEAL", reason: expect.stringContaining("cannot be combined with adopt") },
    ]);
  });

  it("recognizes its own credential by the digest, and says how to take over the sealed key", async () => {
    const sealTo = { age: [ann.recipient] };
    const stack = await RotatingStack.start({ sealTo, gracePeriod: "1h" });
    const apiKey = await opened(stack.harness, stack.outputs);
    stack.harness = stack.harness.beside({ apiKey });
    const again = { ...stack.inputs, rotationTriggers: { run: 2 } };
    await stack.up({ ...stack.inputs, rotationTriggers: { run: 1 } });
    const failure = await failureOf(stack.up(again));
    expect(failure).toMatchObject({ code: "KP-OWN-CREDENTIAL" });
    await stack.up({ ...again, selfRotation: true });
    expect(stack.warnings).toContain("open this resource's `sealedKey`");
    await stack.harness.clock.pass(3 * HOUR);
    await stack.up();
    expect(stack.warnings).toContain("keyplane still authenticates with it");
  });
});
