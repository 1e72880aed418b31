import { Encrypter } from "age-encryption";
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from "vitest";
import { redact } from "../../../provider/secrets";
import { StackHarness } from "../resources/harness";
import { RotatingStack } from "../resources/rotating-stack";
import { AgeReader } from "../seal/opener";

// The known secrets are a set that no module exports, so that what leaves a set is looked at.
let dropped: MockInstance<typeof Set.prototype.delete>;

/** The keys whose text was dropped, in order. */
const forgotten = () => dropped.mock.calls.map(([value]) => value).filter((value) => String(value).startsWith("kp_"));

beforeEach(() => {
  dropped = vi.spyOn(Set.prototype, "delete");
});
afterEach(() => void vi.restoreAllMocks());

it("the secret of a sealed key is forgotten after its last use, and still kept out of messages", async () => {
  const ann = await AgeReader.create();
  const harness = await StackHarness.start();
  const sealTo = { age: [ann.recipient] };
  const { outputs } = await harness.createKey({ sealTo, verify: true });
  const rotating = await RotatingStack.start({ sealTo }, harness);
  const texts = [outputs.sealedKey, rotating.outputs?.sealedKey] as { age: string }[];
  const secrets = await Promise.all(texts.map(({ age }) => ann.open(age)));
  expect(forgotten()).toEqual(secrets);
  for (const secret of secrets) expect(redact(`a message with ${secret}`)).toBe("a message with [secret]");
  await harness.createKey();
  expect(forgotten()).toEqual(secrets);
});

it("the secret of a key that could not be sealed is forgotten", async () => {
  const { recipient } = await AgeReader.create();
  const harness = await StackHarness.start();
  const encrypt = vi.spyOn(Encrypter.prototype, "encrypt");
  encrypt.mockRejectedValue(new Error("out of memory")).mockResolvedValueOnce(new Uint8Array() as never);
  await expect(harness.createKey({ sealTo: { age: [recipient] } })).rejects.toThrow(/could not be sealed/);
  const secrets = (await harness.plane.secretsEverIssued()).filter((secret) => secret !== harness.plane.apiKey);
  expect(forgotten()).toEqual(secrets);
});
