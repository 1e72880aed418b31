import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conceal, forget, maskKeyLike, redact } from "../../provider/secrets";

const html = (text: string) => text.replace(/[^A-Za-z0-9]/g, (char) => `&#${char.charCodeAt(0)};`);
const escaped = (text: string) => Array.from(text, (char) => `\\u00${char.charCodeAt(0).toString(16)}`).join("");
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** The ways in which a text can contain a secret. */
const DISGUISES: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in upper case": (secret) => secret.toUpperCase(),
  "in a URL": encodeURIComponent,
  "in a URL, twice encoded": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "in JSON": (secret) => JSON.stringify(secret).slice(1, -1),
  "in JSON within JSON": (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  "as JSON escapes": escaped,
  "in HTML": html,
  "in base64": base64,
  "in base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "in hex": (secret) => Buffer.from(secret).toString("hex"),
  "with spaces": (secret) => Array.from(secret).join(" "),
  "over several lines": (secret) => Array.from(secret).join("\r\n\t"),
  "with zero-width characters": (secret) => Array.from(secret).join("\u200b"),
  "in HTML with named characters": (secret) => secret.replace(/[^A-Za-z0-9]/g, "&hyphen;"),
  "in HTML with named characters, twice encoded": (secret) => secret.replace(/[^A-Za-z0-9]/g, "&amp;amp;lowbar;"),
};

/** A secret as services make them. Other characters may be between and beside its letters and digits. */
const anySecret = fc
  .stringMatching(/^[\x21-\x7e]{12,80}$/)
  .filter((text) => text.replace(/[^A-Za-z0-9]|[%&\\].{1,8}/g, "").length >= 8);

describe("a concealed secret", () => {
  it.each(Object.entries(DISGUISES))("is found %s", (_, disguise) => {
    fc.assert(
      fc.property(anySecret, (secret) => {
        conceal(secret);
        expect(redact(`before: ${disguise(secret)} (after)`)).toMatch(/^before:.{0,3}\[secret\].{0,4}\(after\)$/su);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });

  it.each(Object.entries(DISGUISES))("whose text is forgotten is found %s", (_, disguise) => {
    fc.assert(
      fc.property(anySecret, fc.boolean(), (secret, isKnown) => {
        if (isKnown) conceal(secret);
        forget(secret);
        expect(redact(`before: ${disguise(secret)} (after)`)).toMatch(/^before:.{0,3}\[secret\].{0,4}\(after\)$/su);
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });

  it("is found in the header of a user and a password for any user name", () => {
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

  it("is found each time beside others, even if one is the beginning of another", () => {
    for (const secret of ["kp_first_11112222", "kp_first_11112222_more", "kp_second_3333"]) conceal(secret);
    const text = "kp_first_11112222 kp_second_3333,kp_first_11112222_more;KP_SECOND_3333";
    expect(redact(text)).toBe("[secret] [secret],[secret];[secret]");
  });

  it("is found in a text of several megabytes and among thousands of secrets", () => {
    const secrets = Array.from({ length: 3_000 }, (_, at) => `kp_many_${at}_${"x".repeat(8)}${at}`);
    for (const secret of secrets) conceal(secret);
    const noise = "ordinary-name-of-a-key ".repeat(50_000);
    expect(redact(`${noise}${secrets[1_234]}${noise}`)).toBe(`${noise}[secret]${noise}`);
  });

  it("is found as it is, even if it has hardly any letters and digits", () => {
    conceal("!!!???___a:%41--");
    expect(redact("before !!!???___a:%41-- after")).toBe("before [secret] after");
  });

  it("is not a short word, which would hide half of every message", () => {
    for (const word of ["key", "", "a key"]) conceal(word);
    expect(redact("a key and its name")).toBe("a key and its name");
  });
});

describe("other text", () => {
  it("is not changed", () => {
    conceal("kp_live_quite_another_1");
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => redact(text) === text));
  });

  it("is masked if it looks like an unknown key", () => {
    expect(maskKeyLike(`bad ${"a1B2".repeat(8)}, key-of-ci`)).toBe("bad [secret], key-of-ci");
  });
});
