import { expect, it, vi } from "vitest";

const hash = vi.fn();

vi.doMock("node:crypto", async (original) => {
  const crypto = await original<typeof import("node:crypto")>();
  hash.mockImplementation(crypto.hash);
  return { ...crypto, hash };
});

it("a text that repeats the end of a secret is not hashed at each of its places", async () => {
  vi.resetModules();
  const { conceal, redact } = await import("../../provider/secrets.js");
  const secret = `napi_${"0123456789".repeat(4)}`;
  conceal(secret);
  redact("so that the forms of the secret are known");
  hash.mockClear();
  const text = secret.slice(-10).repeat(1_000);
  expect(redact(`${text}, napi_${text}`)).toBe(`${text}, [secret]${text.slice(40)}`);
  // The secret is known as it is, and with what can look like an escaped character.
  expect(hash).toHaveBeenCalledTimes(2);
});
