import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseBaseUrl } from "../../../provider/base-url";
import { resolveSettings, type Settings } from "../../../provider/settings/settings";
import { nastyText } from "./arbitraries";

const GOOD = { baseUrl: "https://keys.example.com/api/v2", apiKey: "a-good-credential" };

/** The settings with one changed value, or the error, which must be for people and must not quote a secret. */
function resolved(changed: Record<string, string>): Settings | undefined {
  const values: Record<string, string> = { ...GOOD, ...changed };
  try {
    return resolveSettings((key) => (Object.hasOwn(values, key) ? values[key] : undefined), {});
  } catch (error) {
    const { name, message } = error as Error;
    expect(name).toBe("ConfigError");
    for (const key of Object.keys(changed)) expect(message).toContain(`keyplane:${key}`);
    expect(message).not.toMatch(/\p{Cc}/u);
    return undefined;
  }
}

const url = fc
  .tuple(
    fc.constantFrom("https:", "http:", "HTTPS:", "ftp:", "file:", "javascript:", ""),
    fc.constantFrom("//", "/", "\\\\", ""),
    fc.constantFrom("", "me@", "me:hidden-word@", "%40@"),
    fc.oneof(
      fc.constantFrom("127.0.0.1", "localhost", "[::1]", "127.0.0.1.example.com", "localhost.", "0x7f.1", "2130706433"),
      fc.domain(),
      nastyText,
    ),
    fc.constantFrom("", ":8080", ":0", ":99999"),
    fc.constantFrom("", "/", "/api/v2", "/api/../..", "/a?b=c", "/#f", "/%2e%2e/x", "/a//b"),
  )
  .map((parts) => parts.join(""));

test("any base URL is either safe for the credential, or refused without being repeated", () => {
  fc.assert(
    fc.property(fc.oneof(url, nastyText), (text) => {
      const settings = resolved({ baseUrl: text });
      if (settings === undefined) return;
      const { protocol, hostname, username, password, search, hash } = new URL(settings.baseUrl);
      expect([username, password, search, hash]).toEqual(["", "", "", ""]);
      if (protocol !== "https:") expect(hostname).toMatch(/^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/);
      expect(settings.baseUrl).not.toMatch(/\/$/);
      expect(parseBaseUrl(settings.baseUrl).origin).toBe(new URL(settings.baseUrl).origin);
    }),
    { numRuns: 500 },
  );
});

test("any credential can either be sent unchanged in a header, or is refused without being repeated", () => {
  fc.assert(
    fc.property(nastyText, (apiKey) => {
      const settings = resolved({ apiKey });
      if (settings === undefined) return;
      expect(settings.apiKey).toBe(apiKey);
      expect(new Headers({ authorization: `Bearer ${apiKey}` }).get("authorization")).toBe(`Bearer ${apiKey}`);
      if (apiKey.length > 3) expect(JSON.stringify(settings)).not.toContain(JSON.stringify(apiKey));
    }),
    { numRuns: 300 },
  );
});

test.each(["requestTimeout", "operationTimeout", "pollInterval", "concurrency"])(
  "any %s is either a number that a timer can hold, or refused",
  (name) => {
    fc.assert(
      fc.property(fc.oneof(nastyText, fc.stringMatching(/^\d{1,10}[smhdw]?$/)), (text) => {
        const settings = resolved({ [name]: text });
        if (settings === undefined) return;
        for (const value of [settings.requestTimeoutMs, settings.pollIntervalMs, settings.concurrency]) {
          expect(Number.isSafeInteger(value) && value > 0 && value < 2 ** 31).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  },
);
