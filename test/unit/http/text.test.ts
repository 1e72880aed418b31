import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, parseBaseUrl, redact } from "../../../provider/http";

describe("text from outside", () => {
  it("comes out as one printable line of limited length, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
        const clean = cleanText(text);
        expect(Array.from(clean).length).toBeLessThanOrEqual(200);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it("keeps ordinary text of any script", () => {
    expect(cleanText("déjà vu, 你好 🔑")).toBe("déjà vu, 你好 🔑");
    expect(cleanText("\u001b[2Jgone\u0007")).toBe("[2Jgone");
  });
});

describe("redaction", () => {
  it("finds a secret as it is and in the encodings it may travel in", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\x21-\x7e]{12,80}$/), (secret) => {
        const bytes = Buffer.from(secret);
        const forms = [secret, encodeURIComponent(secret), bytes.toString("base64"), bytes.toString("hex")];
        for (const form of [...forms, JSON.stringify(secret)]) {
          const clean = redact(`before ${form} after`, [secret]);
          expect(clean).toMatch(/^before "?\[secret\]"? after$/);
        }
      }),
    );
  });

  it("leaves short words alone, which would blot out half of every message", () => {
    expect(redact("a key", ["key", ""])).toBe("a key");
  });
});

describe("a base URL", () => {
  it("is https anywhere, or http on this machine", () => {
    expect(parseBaseUrl("https://host:8443/api/v2/")).toEqual({
      origin: "https://host:8443",
      prefix: "/api/v2",
      loopback: false,
    });
    for (const host of ["127.0.0.1:1", "127.9.9.9", "localhost:80", "[::1]:8080"]) {
      expect(parseBaseUrl(`http://${host}/api/v2`).loopback).toBe(true);
    }
  });

  const refused = [
    "http://host/api/v2",
    "http://127.0.0.1.evil.example/",
    "http://localhost.evil.example/",
    "https://user:hunter2secret@host/",
    "https://hunter2secret@host/",
    "https://host/?key=hunter2secret",
    "https://host/#hunter2secret",
    "ftp://host/",
    "host/api/v2",
    "",
    "file:///etc/passwd",
  ];
  for (const text of refused) {
    it(`is refused as ${JSON.stringify(text)}, for the credential would go there, and not quoted`, () => {
      expect(() => parseBaseUrl(text)).toThrow(/^keyplane:baseUrl (must|is not) (?!.*hunter2secret)/);
    });
  }
});
