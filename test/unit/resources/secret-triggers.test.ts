import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { base32 } from "../../../provider/base32";
import { keyed } from "../../../provider/schema/digest";
import type { Properties } from "../../../provider/schema/outputs";
import { failureOf, StackHarness } from "./harness";
import { DAY, RotatingStack } from "./rotating-stack";

const SALT = "abcdefgh";

/** A digest as version 0.2.0-alpha.2 stored it. */
function formerDigest(name: string, value: string, salt = SALT): string {
  const hash = createHash("sha256")
    .update(`${salt}\n${JSON.stringify([[name, value]])}`)
    .digest();
  return `${salt}${base32(hash.subarray(0, 10))}`;
}

/** What an export of the state shows of a key to somebody who cannot decrypt it. */
function exported({ key, previousKey, rotationTriggers, ...shown }: Properties): Properties {
  return shown;
}

/** The bytes of base32, as hex. */
function bytesOf(text: string): string {
  const bits = [...text].map((each) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(each).toString(2).padStart(5, "0"));
  return (bits.join("").match(/.{8}/g) ?? [])
    .map((each) => Number.parseInt(each, 2).toString(16).padStart(2, "0"))
    .join("");
}

/** The PINs that an export proves, with a hash or with a text beside it as the key of a digest. */
function guessed(shown: Properties): string[] {
  const digests = [shown.triggersDigest, shown.queuedTriggersDigest].filter((each) => typeof each === "string");
  const keys = [...Object.values(shown).filter((each) => typeof each === "string"), "", "undefined"];
  const targets = digests
    .map((digest) => digest.replace("hmac.", ""))
    .map((digest) => {
      const [salt, rest] = [digest.slice(0, 8), digest.slice(8)];
      return { salt, rest, bytes: bytesOf(rest) };
    });
  const pins = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(4, "0"));
  return pins.filter((pin) =>
    targets.some(({ salt, rest, bytes }) => {
      const former = formerDigest("pin", pin, salt);
      const macOf = (key: string) => createHmac("sha256", key).update(former).digest("hex");
      return former === salt + rest || keys.some((key) => macOf(key).startsWith(bytes));
    }),
  );
}

const pin = (value: string) => ({ rotationTriggers: { pin: value } });

describe("10 000 guesses at an exported state", () => {
  it("find a weak trigger in a digest of a former version, or in one that a text beside it is the key of", () => {
    expect(guessed({ triggersDigest: formerDigest("pin", "4711") })).toEqual(["4711"]);
    const { text } = keyed(formerDigest("pin", "4711"), "a text beside it");
    expect(guessed({ triggersDigest: text, name: "a text beside it" })).toEqual(["4711"]);
  });

  it("find nothing in the state of an ApiKey", async () => {
    const { outputs } = await (await StackHarness.start()).createKey(pin("4711"));
    expect(outputs).toHaveProperty("triggersDigest");
    expect(guessed(exported(outputs))).toEqual([]);
  });

  it("find neither the trigger in force nor the queued one in the state of a RotatingApiKey", async () => {
    const stack = await RotatingStack.start(pin("4711"));
    await stack.up(pin("0815"));
    await stack.up(pin("1234"));
    expect(stack.outputs).toHaveProperty("queuedTriggersDigest");
    expect(guessed(exported(stack.outputs ?? {}))).toEqual([]);
  }, 60_000);

  it("find nothing in the state of a resource that has no key yet", async () => {
    const home = await StackHarness.start();
    await home.plane.rules.add({ route: "POST /api_keys", fault: "reset", commit: "before", count: null });
    await home.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400, count: null });
    const { outputs, notReady } = await home.createKey(pin("4711"));
    expect(notReady).toBeDefined();
    expect(outputs).not.toHaveProperty("triggersDigest");
    expect(guessed(exported(outputs))).toEqual([]);
  });
});

describe("a digest of a former version", () => {
  it("in an ApiKey is replaced by an update without a request, and a change of the triggers replaces the key", async () => {
    const home = await StackHarness.start();
    const made = await home.createKey(pin("4711"));
    const former = { ...made, outputs: { ...made.outputs, triggersDigest: formerDigest("pin", "4711") } };
    const before = (await home.requests()).length;
    const { outputs } = await home.updateKey(former, pin("4711"));
    expect(await home.requests()).toHaveLength(before);
    expect(outputs).toMatchObject({ keyId: made.outputs.keyId, key: made.outputs.key });
    expect(outputs.triggersDigest).toMatch(/^hmac\./);
    const again = await home.updateKey({ ...made, outputs }, pin("4711"));
    expect(again.outputs).toEqual(outputs);
  });

  it("in a RotatingApiKey is replaced without a request and without a rotation", async () => {
    const stack = await RotatingStack.start(pin("4711"));
    const { current } = stack;
    stack.outputs = { ...stack.outputs, triggersDigest: formerDigest("pin", "4711") };
    const before = (await stack.harness.requests()).length;
    expect(await stack.up()).toEqual({ changed: true, reasons: [] });
    expect(await stack.harness.requests()).toHaveLength(before);
    expect(stack.current).toBe(current);
    expect(stack.outputs.triggersDigest).toMatch(/^hmac\./);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.up(pin("0815"));
    expect(stack.previous).toBe(current);
  });

  it.each([
    ["stays queued if the program still asks for it", "1234", 2],
    ["is withdrawn if the program has the triggers in force", "0815", 1],
  ])(
    "of a queued trigger %s",
    async (_, wanted, rotations) => {
      const stack = await RotatingStack.start(pin("4711"));
      await stack.up(pin("0815"));
      await stack.up(pin("1234"));
      const { current, outputs } = stack;
      const [triggersDigest, queuedTriggersDigest] = [formerDigest("pin", "0815"), formerDigest("pin", "1234")];
      stack.outputs = { ...outputs, triggersDigest, queuedTriggersDigest };
      expect(await stack.up(pin(wanted))).toMatchObject({ changed: true });
      expect(stack.current).toBe(current);
      expect(guessed(exported(stack.outputs))).toEqual([]);
      await stack.harness.clock.pass(2 * DAY);
      await stack.up();
      await stack.up();
      expect(await stack.harness.plane.count("POST")).toBe(rotations + 1);
    },
    60_000,
  );
});

describe("the digest of a RotatingApiKey", () => {
  it("is made anew with the next key when the key rotates, and asks for no second rotation", async () => {
    const stack = await RotatingStack.start({ ...pin("4711"), rotateAfter: "30d" });
    const { current, outputs } = stack;
    await stack.harness.clock.pass(31 * DAY);
    await stack.up();
    expect(stack.previous).toBe(current);
    expect(stack.outputs?.triggersDigest).not.toBe(outputs?.triggersDigest);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("is not kept while a broken key has no successor, and the successor asks for no second rotation", async () => {
    const stack = await RotatingStack.start(pin("4711"));
    stack.outputs = { ...stack.outputs, pending: [{ action: "verify", status: "failed" }] };
    await stack.harness.plane.rules.add({ route: "POST /api_keys", status: 400, count: null });
    await failureOf(stack.up().then(({ notReady }) => Promise.reject(new Error(notReady))));
    expect(stack.outputs).not.toHaveProperty("keyId");
    expect(stack.outputs).not.toHaveProperty("triggersDigest");
    await stack.harness.plane.rules.clear();
    await stack.up();
    expect(stack.outputs).toHaveProperty("triggersDigest");
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });
});
