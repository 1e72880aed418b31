import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBaseUrl } from "../../provider/base-url";
import { conceal } from "../../provider/secrets";
import { cleanText, counted, printable, printableJson, shownName, toMessage } from "../../provider/text";

test("a number of things has the singular only for one", () => {
  expect([0, 1, 2, 1000].map((count) => counted(count, "key"))).toEqual(["0 keys", "1 key", "2 keys", "1,000 keys"]);
});

describe("text from outside", () => {
  test("becomes one printable line of limited length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
        const clean = cleanText(text);
        expect(Array.from(clean).length).toBeLessThanOrEqual(200);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  test("keeps ordinary text of any script", () => {
    expect(cleanText("déjà vu, 你好 🔑")).toBe("déjà vu, 你好 🔑");
    expect(cleanText("\u001b[2Jgone\u0007")).toBe("gone");
  });

  test.each([
    ["a CSI sequence", "a\u001b[31;1mb\u001b[0mc", "abc"],
    ["a CSI sequence of one C1 character", "a\u009b2Jb", "ab"],
    ["a title of a window", "a\u001b]0;owned\u0007b", "ab"],
    ["a link", "a\u001b]8;;https://evil.example\u001b\\b", "ab"],
    ["a string of C1 characters", "a\u009downed\u009cb", "ab"],
    ["a reset", "a\u001bcb", "ab"],
    ["a sequence that does not end", "a\u001b]0;owned", "a0;owned"],
    ["a control character", "a\u0000\r\n\tb\u007f", "a b "],
    ["a C1 control character", "a\u0085b", "a b"],
    ["a bidirectional mark", "a\u202eb\u2066c\u061c", "a b c "],
    ["a zero-width character", "a\u200b\ufeffb", "a b"],
    ["a character of a tag", "a\u{e0041}b", "a b"],
    ["a line separator", "a\u2028b", "a b"],
  ])("is shown without %s", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test("is cleaned in linear time, even with sequences that do not end", () => {
    for (const start of ["\u009d", "\u001b]", "\u001b[", "\u001b"]) {
      expect(printable(start.repeat(200_000))).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  test("keeps its meaning in JSON, without terminal control characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = printableJson(JSON.stringify({ text }, null, 2));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
    expect(printableJson(JSON.stringify("\u009b\u202e\u{e0041}\u2028a"))).toBe(
      '"\\u009b\\u202e\\udb40\\udc41\\u2028a"',
    );
  });
});

describe("a message", () => {
  test("shows a name of any length in at most 100 characters, without invisible ones and without a part of a secret", () => {
    conceal("sentinel-of-a-name-0123456789");
    const name = `\u202e${"x".repeat(85)}sentinel-of-a-name-0123456789${"y ".repeat(7_000)}`;
    const shown = shownName(name);
    expect(Array.from(shown).length).toBeLessThanOrEqual(100);
    expect(shown).toMatch(/^x+\[secret\]/);
    expect(shownName("ci-4f7a-nonce")).toBe("ci-4f7a-nonce");
  });

  test("leaves printable, of limited length, without secrets, and with its code at the end", () => {
    conceal("sentinel-of-a-message-0123456789");
    const text = `create ApiKey "ci":\u001b[31m sentinel-of-a-message-0123456789\n${"7, ".repeat(9_000)}. Try again [KP-API]`;
    const message = toMessage(text);
    expect(message.length).toBeLessThanOrEqual(4_000);
    expect(message).toMatch(/^create ApiKey "ci": \[secret\] 7, [\x20-\x7e…]*\. Try again \[KP-API\]$/);
  });
});

describe("a base URL", () => {
  test("must be https, or http on this machine", () => {
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
    test(`is refused as ${JSON.stringify(text)} without being quoted, because the credential would be sent there`, () => {
      expect(() => parseBaseUrl(text)).toThrow(/^keyplane:baseUrl (must|is not) (?!.*hunter2secret)/);
    });
  }
});
