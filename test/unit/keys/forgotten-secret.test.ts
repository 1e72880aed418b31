import { expect, it, vi } from "vitest";
import { forget, redact } from "../../../provider/secrets";
import { StackHarness } from "../resources/harness";
import { RotatingStack } from "../resources/rotating-stack";
import { AgeReader } from "../seal/opener";

vi.mock("../../../provider/secrets", async (load) => {
  const real = await load<typeof import("../../../provider/secrets")>();
  return { ...real, forget: vi.fn(real.forget) };
});

const forgotten = () => vi.mocked(forget).mock.calls.map(([secret]) => secret);

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
  const encrypt = vi.spyOn((await import("age-encryption")).Encrypter.prototype, "encrypt");
  encrypt.mockRejectedValue(new Error("out of memory")).mockResolvedValueOnce(new Uint8Array() as never);
  vi.mocked(forget).mockClear();
  await expect(harness.createKey({ sealTo: { age: [recipient] } })).rejects.toThrow(/could not be sealed/);
  const secrets = (await harness.plane.secretsEverIssued()).filter((secret) => secret !== harness.plane.apiKey);
  expect(forgotten()).toEqual(secrets);
  encrypt.mockRestore();
});
