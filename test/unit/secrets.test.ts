import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conceal, redact } from "../../provider/secrets";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const named = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" } as Readonly<
  Record<string, string>
>;
const codesOf = (text: string) => Array.from(text, (char) => char.charCodeAt(0));

/** The ways in which a text can contain a secret. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in upper case": (secret) => secret.toUpperCase(),
  "in a URL": encodeURIComponent,
  "in a URL, twice encoded": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "in JSON": (secret) => JSON.stringify(secret).slice(1, -1),
  "in JSON within JSON": (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  "in HTML": (secret) => secret.replace(/[&<>"']/g, (char) => named[char] ?? char),
  "in base64": base64,
  "in base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "in hex": (secret) => Buffer.from(secret).toString("hex"),
};

/** Those in which also each letter and digit is escaped. */
const ESCAPES: Readonly<Record<string, (secret: string) => string>> = {
  "in JSON": (secret) =>
    codesOf(secret)
      .map((code) => `\\u00${code.toString(16)}`)
      .join(""),
  "in HTML": (secret) =>
    codesOf(secret)
      .map((code) => `&#${code};`)
      .join(""),
  "in a URL": (secret) =>
    codesOf(secret)
      .map((code) => `%${code.toString(16)}`)
      .join(""),
};

const random = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });

/** A key of the service, whose text nobody has told. */
const key = random("abcdefghijk2mnopqrstuvwxyz0123456789", 64);

/** A credential of another service. */
const otherSecret = fc.stringMatching(/^[\x21-\x7e]{12,80}$/);

describe("a key of the service that nobody has concealed", () => {
  test.each(Object.entries(FORMS))("is found %s", (_, form) => {
    fc.assert(
      fc.property(key, (secret) => {
        expect(redact(`before: ${form(secret)} (after)`)).toMatch(/^before: \[secret\]=* \(after\)$/);
        expect(redact(`before: ${form(`napi_${secret}`)} (after)`)).toMatch(
          /^before: (napi_)?\[secret\]=* \(after\)$/i,
        );
      }),
      { numRuns: 50 },
    );
  });

  test.each(Object.entries(ESCAPES))("is found with every character escaped %s", (_, escaped) => {
    fc.assert(fc.property(key, (secret) => redact(`: ${escaped(secret)} :`) === ": [secret] :"));
  });

  test("is found in the header of a user and a password", () => {
    fc.assert(
      fc.property(key, (secret) => redact(`Basic ${base64(`admin:napi_${secret}`)} `).startsWith("Basic [secret]")),
    );
  });

  test("is found in a text of several megabytes", () => {
    const noise = "ordinary-name-of-a-key ".repeat(50_000);
    expect(redact(`${noise}${"a1B2".repeat(16)} ${noise}`)).toBe(`${noise}[secret] ${noise}`);
  });
});

describe("a concealed secret of another form", () => {
  test.each(Object.entries(FORMS))("is found %s", (_, form) => {
    fc.assert(
      fc.property(otherSecret, (secret) => {
        conceal(secret);
        expect(redact(`before: ${form(secret)} (after)`)).toMatch(/^before: .?\[secret\].{0,4} \(after\)$/s);
      }),
      { numRuns: 50 },
    );
  });

  test("is found in the header of a user and a password for any user name", () => {
    const secret = "kp_live_7Hq2xVn4bT9w";
    conceal(secret);
    for (const user of ["", "a", "ab", "abc", "admin"]) {
      const clean = redact(`Basic ${base64(`${user}:${secret}`)}.`);
      const left = clean.replace("[secret]", "").length;
      expect(clean).toContain("[secret]");
      // Nothing remains except the user's name and the bits that a neighbour shares.
      expect(left).toBeLessThanOrEqual("Basic .".length + Math.ceil(((user.length + 1) * 8) / 6) + 3);
    }
  });

  test("is found each time beside others, even if one is the beginning of another", () => {
    for (const secret of ["kp_first_11112222", "kp_first_11112222_more", "kp_second_3333"]) conceal(secret);
    const text = "kp_first_11112222 kp_second_3333,kp_first_11112222_more;KP_SECOND_3333";
    expect(redact(text)).toBe("[secret] [secret],[secret];[secret]");
  });

  test("is not a short word, which would hide half of every message", () => {
    for (const word of ["key", "", "a key"]) conceal(word);
    expect(redact("a key and its name")).toBe("a key and its name");
  });
});

describe("other text", () => {
  test("is not changed", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => redact(text) === text));
  });

  test.each([
    ["a generated name", `${"production-payments-reader-eu-west-1-x7b2k9q4a5"}-a2b3c4d5e6f7-1234`],
    ["a name of 64 characters", `${"reader_of_production_".repeat(3)}1`],
    ["a word of 64 letters", "ThePaymentsServiceOfTheProductionEnvironmentInEuropeWestReadsThe"],
    ["a name with the digest of a commit", "ci-6d4efcd4a1b2c3d4e5f60718293a4b5c6d7e8f90"],
    ["a UUID", "operation 0b1e0b1e-1c5f-4a51-a6e5-6ab2d5b3c001"],
    ["the id of a project and of a branch", "project spring-example-302709, branch br-wispy-meadow-118737"],
    ["a digest in a state", "ABCDEFGHIJKLMNOPQRSTUVWXY2"],
    ["a URN", "urn:pulumi:production::payments2024::keyplane:index:RotatingApiKey$keyplane:index:ApiKey::ci-2024"],
    ["a path", "..\\agents2\\runner2\\projects\\payments2024\\production and ../agents2/runner2/projects/payments2024"],
    [
      "an address with a query",
      "https://service.example/api/v2/projects?limit=400&search=my%20project%20of%202024%20in%20production",
    ],
    ["times", "2026-11-28T05:45:41.123456Z,2026-11-28T05:45:41.123456Z"],
  ])("stays readable: %s", (_, text) => {
    expect(redact(text)).toBe(text);
  });
});
