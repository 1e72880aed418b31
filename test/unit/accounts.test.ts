import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAccounts } from "../../provider/settings/accounts";
import { credentialsIn, resolveSettings } from "../../provider/settings/settings";
import { nastyText } from "./fuzz/arbitraries";

const KEY = "sentinel-credential-0123456789";
const EU = { baseUrl: "https://eu.example.com/api/v2/", apiKey: KEY };

/** The settings of an account, from only these values of the configuration. */
const from = (config: Record<string, string>, account?: string) => resolveSettings((key) => config[key], {}, account);

function caughtFrom(config: Record<string, string>): Error {
  try {
    from(config);
  } catch (error) {
    return error as Error;
  }
  throw new Error("was not refused");
}

describe("a named account", () => {
  test("has its own address and key, and shares all other settings", () => {
    const config = { accounts: JSON.stringify({ eu: EU }), requestTimeout: "10s" };
    expect(from(config, "eu")).toMatchObject({
      account: "eu",
      baseUrl: "https://eu.example.com/api/v2",
      apiKey: KEY,
      requestTimeoutMs: 10_000,
    });
  });

  test("uses keyplane:baseUrl if it has no address of its own, and needs one of the two", () => {
    const accounts = JSON.stringify({ eu: { apiKey: KEY } });
    expect(from({ accounts, baseUrl: "https://one.example.com" }, "eu").baseUrl).toBe("https://one.example.com");
    expect(() => from({ accounts }, "eu")).toThrow(
      /keyplane:accounts\.eu\.baseUrl is not set, and neither is keyplane:baseUrl\. Run .*--path 'keyplane:accounts\.eu/,
    );
  });

  test("is not named by a message if its name can be a secret", () => {
    const name = "napi5x8q2m9w7r4t1k6z3v0b";
    const accounts = (account: object) => JSON.stringify({ [name]: account });
    const shown = /keyplane:accounts\.\[account [a-z2-7]{8}\]\.baseUrl (is not set|must begin with https)/;
    for (const account of [{ apiKey: KEY }, { apiKey: KEY, baseUrl: "http://example.com" }]) {
      expect(() => from({ accounts: accounts(account) }, name)).toThrow(shown);
    }
  });

  test("cannot be found under a name that every object inherits", () => {
    for (const name of ["__proto__", "constructor", "tostring", "hasOwnProperty"]) {
      expect(() => from({ accounts: JSON.stringify({ eu: EU }) }, name)).toThrow(/has no account/);
    }
    expect(() => parseAccounts('{"__proto__": {"apiKey": "some-key-of-mine"}}')).toThrow(
      /\(\[account 1\]\): a name must be/,
    );
    expect(() => parseAccounts('{"eu": {"__proto__": {"apiKey": "some-key-of-mine"}}}')).toThrow(
      /accounts\.eu has an unknown member: only/,
    );
  });

  test("does not show its key or another account's key, however its settings are printed", () => {
    const other = "other-credential-0123456789";
    const accounts = JSON.stringify({ eu: EU, us: { ...EU, apiKey: other } });
    const settings = from({ accounts, apiKey: "the-first-credential" }, "eu");
    for (const text of [JSON.stringify(settings), inspect(settings), inspect({ settings }, { depth: 9 })]) {
      for (const secret of [KEY, other, "the-first-credential"]) expect(text).not.toContain(secret);
    }
  });
});

describe("keyplane:accounts", () => {
  test.each([
    ["", "keyplane:accounts is not valid JSON: run `pulumi config set --path --secret"],
    [KEY, "keyplane:accounts is not valid JSON"],
    ["[]", "keyplane:accounts must be an object"],
    ["null", "keyplane:accounts must be an object"],
    ['{"EU": {}}', "(EU): a name must be 1 to 32 characters (a-z"],
    ['{"-eu": {}}', "(-eu): a name must be"],
    [`{"${"e".repeat(33)}": {}}`, "has an account with an invalid name ([account 1]): a name must be"],
    [`{"eu": "${KEY}"}`, "keyplane:accounts.eu must be an object with apiKey"],
    ['{"eu": {}}', "keyplane:accounts.eu.apiKey is not set: run `pulumi config set --path --secret"],
    ['{"eu": {"apiKey": ""}}', "keyplane:accounts.eu.apiKey is not set"],
    ['{"eu": {"apiKey": 7}}', "keyplane:accounts.eu.apiKey must be a string"],
    [`{"eu": {"apiKey": " ${KEY}"}}`, "keyplane:accounts.eu.apiKey contains a space"],
    [`{"eu": {"apikey": "${KEY}"}}`, "keyplane:accounts.eu has an unknown member (apikey)"],
    [`{"eu": {"apiKey": "${KEY}", "baseUrl": 7}}`, "keyplane:accounts.eu.baseUrl must be a URL"],
    [`{"eu": {"apiKey": "${KEY}", "baseUrl": "http://example.com"}}`, "keyplane:accounts.eu.baseUrl must begin with"],
    [`{"eu": {"apiKey": "${KEY}", "baseUrl": "https://a@b"}}`, "Put the credential into keyplane:accounts.eu.apiKey"],
  ])("is refused without being quoted, even if no account is used: %s", (accounts, problem) => {
    const config = { accounts, baseUrl: "https://one.example.com", apiKey: "the-first-credential" };
    let message = "";
    try {
      from(config);
    } catch (error) {
      expect((error as Error).name).toBe("ConfigError");
      message = (error as Error).message;
    }
    expect(message).toContain(problem);
    expect(message).not.toContain(KEY);
    expect([...credentialsIn((key) => ({ ...config })[key as "apiKey"], {})]).toEqual([
      ["keyplane:apiKey", "the-first-credential"],
    ]);
  });

  test("is refused without a secret that stands in the place of a name or of a member", () => {
    for (const secret of [
      "kp0123456789abcdef0123456789abcd",
      "napi_k3yOfTheAccount",
      "hunter2hunter2",
      "correcthorsebattery",
    ]) {
      for (const accounts of [
        { eu: EU, [secret]: EU, "-": EU },
        { [secret]: "https://eu.example.com" },
        { [secret]: {} },
        { [secret]: { apiKey: " " } },
        { [secret]: { apiKey: KEY, baseUrl: "http://example.com" } },
        { eu: { [secret]: "apiKey" } },
      ]) {
        const { message } = caughtFrom({ accounts: JSON.stringify(accounts) });
        expect(message).toContain("keyplane:accounts");
        expect(message).not.toContain(secret);
      }
    }
    expect(caughtFrom({ accounts: '{"eu-west-1": {}, "us": {}}' }).message).toContain(
      "keyplane:accounts.eu-west-1.apiKey",
    );
    expect(caughtFrom({ accounts: '{"eu": {"api_key": "x"}}' }).message).toContain("unknown member (api_key)");
  });

  test("is either read or refused with a ConfigError for any text and any JSON", () => {
    const json = fc.oneof(
      nastyText,
      fc.json(),
      fc
        .dictionary(fc.oneof(fc.constant("eu"), nastyText), fc.dictionary(fc.constantFrom("apiKey", "x"), nastyText))
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(json, (text) => {
        try {
          for (const [name, { apiKey }] of parseAccounts(text)) {
            expect(name).toMatch(/^[a-z0-9-]+$/);
            expect(apiKey).toMatch(/^[\x21-\x7e]+$/);
          }
        } catch (error) {
          expect((error as Error).name).toBe("ConfigError");
          expect((error as Error).message).toContain("keyplane:accounts");
          expect((error as Error).message).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test("every configured credential is known by the name of its setting", () => {
  const config = { apiKey: "the-first-credential", accounts: JSON.stringify({ eu: EU }) };
  expect([...credentialsIn((key) => config[key as "apiKey"], {})]).toEqual([
    ["keyplane:apiKey", "the-first-credential"],
    ["keyplane:accounts.eu.apiKey", KEY],
  ]);
});
