import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isRandomKey, keyDigest } from "../../../provider/key-digest";
import "../../fixed-seed";
import { key, rotating, TestStack } from "../../engineless/test-stack";

const ALPHABETS = { hex: "0123456789abcdef", small: "abcdefghijk2mnopqrstuvwxyz0123456789" };

const randomOf = (alphabet: string, length: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((all) => all.join(""));

test("a key of the service has a digest of 25 characters, which is not the plain hash of the secret", () => {
  // With a fixed seed, because one random secret in 150,000 does not look random.
  const secrets = fc.sample(randomOf(ALPHABETS.small, 64), { numRuns: 2_000, seed: 1 });
  for (const random of secrets) {
    for (const key of [random, `kp_${random}`, `napi_${random}`]) {
      expect(keyDigest(key)).toMatch(/^[a-z2-7]{25}$/);
    }
    expect(keyDigest(`kp_${random}`)).not.toBe(keyDigest(random));
  }
  const key = "kp_q7zk2m9x4t1v8b3n6c5w0s7d2f9g4h1j8k3l6p5o0i7u2y9t4r1e8w3q6a5s0d7";
  expect(keyDigest(key)).toBe("h6pnhpe6c6vwzi37acgw2tfc4");
  expect(createHash("sha256").update(key).digest("hex")).not.toContain(String(keyDigest(key)));
});

test("other random secrets of at least 40 letters and digits have a digest, too", () => {
  const others = fc.oneof(
    ...Object.values(ALPHABETS).flatMap((alphabet) => [randomOf(alphabet, 64), randomOf(alphabet, 48)]),
    fc.integer({ min: 0, max: 50 }).map(() => `key-${randomBytes(32).toString("hex")}`),
  );
  fc.assert(fc.property(others, (key) => isRandomKey(key)));
});

test.each([
  ["a short secret", "kp_q7zk2m9x4t1v8b3n6c5w0s7d2f9g4h1j8k3"],
  ["one character", "a".repeat(64)],
  ["a few characters", "q7zk2m9x".repeat(8)],
  ["a repeated part", "q7zk2m9x4t1v8b3n".repeat(4)],
  ["a row", "abcdefghijk2mnopqrstuvwxyz0123456789abcdefghijk2mnopqrstuvwxyz01"],
  ["digits only", "31415926535897932384626433832795028841971693993751058209749445"],
  ["a passphrase", "correcthorsebatterystaplewithaverylongtail2024andmore"],
  ["words with hyphens", "kp_admin-of-the-crash-tests-0123456789-and-even-longer-than-that"],
  ["spaces", `q7zk2m9x4t1v8b3n6c5w0s7d2f9g4h1j8k3l6p5o ${"q7zk2m9x4t1v8b3n".repeat(2)}`],
  ["no secret", undefined],
])("a digest that could be guessed is refused: %s", (_, key) => {
  expect(keyDigest(key)).toBeUndefined();
});

test("a key has its digest in the state, and a rotating key that of its previous key, too", async () => {
  const stack = await TestStack.start();
  const program = (at: number) => ({ ci: key(), db: rotating({ rotationTriggers: { at } }) });
  await stack.up(program(1));
  expect(stack.outputs("ci").digest).toBe(keyDigest(String(stack.outputs("ci").key)));
  const { digest } = stack.outputs("db");
  await stack.up(program(2));
  expect(stack.outputs("db").previousDigest).toBe(digest);
  expect(stack.outputs("db").digest).toBe(keyDigest(String(stack.outputs("db").key)));
});
