import { Encrypter } from "age-encryption";
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from "vitest";
import { redact } from "../../../provider/secrets";
import { codeOf, key, rotating, TestStack } from "../resources/harness";
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
  const stack = await TestStack.start();
  const sealTo = { age: [ann.recipient] };
  await stack.up({ ci: key({ sealTo, verify: true }) });
  await stack.up({ ci: key({ sealTo, verify: true }), db: rotating({ sealTo }) });
  const texts = ["ci", "db"].map((name) => stack.outputs(name).sealedKey) as { age: string }[];
  const secrets = await Promise.all(texts.map(({ age }) => ann.open(age)));
  expect(forgotten()).toEqual(secrets);
  for (const secret of secrets) expect(redact(`a message with ${secret}`)).toBe("a message with [secret]");
  await stack.up({ e: key() }, { target: "e" });
  expect(forgotten()).toEqual(secrets);
});

it("the secret of a key that could not be sealed is forgotten", async () => {
  const { recipient } = await AgeReader.create();
  const stack = await TestStack.start();
  const encrypt = vi.spyOn(Encrypter.prototype, "encrypt");
  encrypt.mockRejectedValue(new Error("out of memory")).mockResolvedValueOnce(new Uint8Array() as never);
  expect(codeOf(await stack.up({ ci: key({ sealTo: { age: [recipient] } }) }))).toBe("KP-SEAL");
  const secrets = (await stack.plane.secretsEverIssued()).filter((secret) => secret !== stack.plane.apiKey);
  expect(forgotten()).toEqual(secrets);
});
