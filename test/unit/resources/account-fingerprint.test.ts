import { expect, test } from "vitest";
import { accountFingerprint } from "../../../provider/keys/account-fingerprint";

const place = { baseUrl: "https://a.test/api/v2", apiKey: "b" };

test("a fingerprint distinguishes origins and credentials, and reveals nothing else", () => {
  expect(accountFingerprint(place)).toMatch(/^[a-z2-7]{12}$/);
  expect(accountFingerprint({ ...place, baseUrl: "https://a.test/api/v3" })).toBe(accountFingerprint(place));
  expect(accountFingerprint({ ...place, baseUrl: "https://c.test/api/v2" })).not.toBe(accountFingerprint(place));
  expect(accountFingerprint({ ...place, apiKey: "c" })).not.toBe(accountFingerprint(place));
});

test("an organization has the same fingerprint for all of its users", () => {
  const organization = { ...place, organizationId: "org-1" };
  expect(accountFingerprint({ ...organization, apiKey: "c" })).toBe(accountFingerprint(organization));
  expect(accountFingerprint({ ...organization, organizationId: "org-2" })).not.toBe(accountFingerprint(organization));
  expect(accountFingerprint(organization)).not.toBe(accountFingerprint(place));
});

test("a fingerprint in a state can be compared in every later version", () => {
  expect(accountFingerprint(place)).toBe("ifswlkaiwxvd");
});
