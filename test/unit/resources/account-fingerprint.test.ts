import { expect, test } from "vitest";
import {
  accountFingerprint,
  accountIn,
  accountMark,
  originFingerprint,
  originIn,
} from "../../../provider/keys/account-fingerprint";

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
  expect(originFingerprint(place.baseUrl)).toBe("sp5qott3co3d");
});

test("a mark has the fingerprints of the account and of its origin, which older states lack", () => {
  const mark = accountMark(place);
  expect([accountIn(mark), originIn(mark)]).toEqual([accountFingerprint(place), originFingerprint(place.baseUrl)]);
  expect([accountIn("ifswlkaiwxvd"), originIn("ifswlkaiwxvd")]).toEqual(["ifswlkaiwxvd", undefined]);
  expect([accountIn(undefined), originIn(undefined)]).toEqual([undefined, undefined]);
});

test("an origin is a scheme, a host and a port, whatever the path and the credential", () => {
  const here = originFingerprint("https://a.test/api/v2");
  expect(here).toMatch(/^[a-z2-7]{12}$/);
  expect(originFingerprint("https://a.test:443/api/v3")).toBe(here);
  for (const other of ["http://a.test/api/v2", "https://a.test:8443/api/v2", "https://b.test/api/v2"]) {
    expect(originFingerprint(other)).not.toBe(here);
  }
});
