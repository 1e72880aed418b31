import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../provider/duration";
import { resolveSettings, type Settings } from "../../provider/settings/settings";

const KEY = "sentinel-credential-0123456789";
const env = { KEYPLANE_BASE_URL: "https://api.example.com/api/v2", KEYPLANE_API_KEY: KEY };
const from = (config: Record<string, string>, environment: NodeJS.ProcessEnv = env): Settings =>
  resolveSettings((key) => config[key], environment);

describe("settings", () => {
  test("prefer the configuration to the environment, and the environment to the default", () => {
    const settings = from(
      { requestTimeout: "10s" },
      { ...env, KEYPLANE_REQUEST_TIMEOUT: "20s", KEYPLANE_CONCURRENCY: "4" },
    );
    expect(settings).toMatchObject({
      baseUrl: "https://api.example.com/api/v2",
      requestTimeoutMs: 10_000,
      concurrency: 4,
      pollIntervalMs: 5_000,
      operationTimeoutMs: 1_800_000,
    });
  });

  test("say whether the key is of the configuration, of which Pulumi keeps a copy, or of the environment", () => {
    const accounts = JSON.stringify({ eu: { apiKey: KEY } });
    const variables = { ...env, KEYPLANE_ACCOUNTS: accounts };
    const sourceOf = (config: Record<string, string>, account?: string) =>
      resolveSettings((name) => config[name], variables, account).apiKeyFrom;
    expect([sourceOf({}), sourceOf({ apiKey: KEY }), sourceOf({ accounts })]).toEqual([
      "environment",
      "config",
      "environment",
    ]);
    expect([sourceOf({ apiKey: KEY }, "eu"), sourceOf({ accounts }, "eu")]).toEqual(["environment", "config"]);
  });

  test("contain rates only if they are set, because their defaults depend on the service's address", () => {
    expect(from({})).toMatchObject({ requestsPerSecond: undefined, requestsPerMinute: undefined });
    const environment = { ...env, KEYPLANE_REQUESTS_PER_MINUTE: "3000" };
    const settings = from({ requestsPerSecond: "100" }, environment);
    expect(settings).toMatchObject({ requestsPerSecond: 100, requestsPerMinute: 3000 });
  });

  test("do not show the credential, however they are printed", () => {
    const settings = from({});
    expect(settings.apiKey).toBe(KEY);
    for (const text of [JSON.stringify(settings), inspect(settings), inspect({ settings }, { depth: 5 })]) {
      expect(text).not.toContain(KEY);
    }
  });

  test.each(["baseUrl", "apiKey"])("have no default for %s, and the error says how to set it", (name) => {
    const variable = name === "apiKey" ? "KEYPLANE_API_KEY" : "KEYPLANE_BASE_URL";
    const remedy = new RegExp(`keyplane:${name} is not set.*pulumi config set .*keyplane:${name}.*${variable}`);
    expect(() => from({}, { ...env, [variable]: undefined })).toThrow(remedy);
    expect(() => from({ [name]: "" })).toThrow(remedy);
  });

  test.each([
    ["ftp://example.com", /not a valid URL/],
    ["http://example.com/api/v2", /https/],
    ["api.example.com", /not a valid URL/],
    ["https://user:pass@example.com", /user name or password/],
    ["https://example.com/?a=1", /query/],
    ["https://example.com/#", /fragment/],
  ])("refuse the base address %s", (baseUrl, message) => {
    expect(() => from({ baseUrl })).toThrow(message);
  });

  test.each(["http://127.0.0.1:8080/api/v2/", "http://localhost:1/api/v2", "http://[::1]:1/api/v2"])(
    "accept http on this machine: %s",
    (baseUrl) => {
      expect(from({ baseUrl }).baseUrl).toBe(baseUrl.replace(/\/$/, ""));
    },
  );

  test.each(["two words", "tab\there", "line\nbreak", "é", " padded"])(
    "refuse a credential that a header cannot contain, without repeating it",
    (apiKey) => {
      const attempt = () => from({ apiKey });
      expect(attempt).toThrow(/keyplane:apiKey contains/);
      expect(attempt).not.toThrow(new RegExp(apiKey.trim()));
    },
  );

  test.each([
    ["requestTimeout", "30"],
    ["requestTimeout", "0s"],
    ["requestTimeout", ""],
    ["concurrency", ""],
    ["pollInterval", "1 minute"],
    ["operationTimeout", "5w"],
    ["concurrency", "0"],
    ["concurrency", "1001"],
    ["concurrency", "many"],
    ["requestsPerSecond", "0"],
    ["requestsPerSecond", "10001"],
    ["requestsPerMinute", "1.5"],
    ["requestsPerMinute", "100001"],
  ])("refuse %s = %s and name the setting", (name, value) => {
    expect(() => from({ [name]: value })).toThrow(new RegExp(`keyplane:${name} must be`));
  });
});

test("a timer that is no duration or too long is told the limit of timers", () => {
  for (const requestTimeout of ["30", "30d"]) {
    expect(() => from({ requestTimeout })).toThrow(
      /requestTimeout must be a duration: .*, and at most 24 days \(set by/,
    );
  }
});

describe("several wrong settings", () => {
  const message = (config: Record<string, string>, environment?: NodeJS.ProcessEnv, account?: string) => {
    try {
      resolveSettings((key) => config[key], environment ?? env, account);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };

  test("are all named by one error, each with its remedy", () => {
    expect(message({}, {})).toMatch(
      /^2 settings are missing or invalid: \(1\) keyplane:baseUrl is not set\. Run .* \(2\) keyplane:apiKey is not set\. Run /,
    );
    const bad = { baseUrl: "over there", requestTimeout: "30", concurrency: "0", requestsPerSecond: "0" };
    expect(message(bad)?.match(/keyplane:(\w+)(?= (is not a valid|must))/g)).toEqual(
      Object.keys(bad).map((name) => `keyplane:${name}`),
    );
  });

  test("are named one by one in several accounts, and once if several values have the same problem", () => {
    const accounts = JSON.stringify({
      eu: { apiKey: "two words", baseUrl: "over there" },
      us: {},
      ok: { apiKey: KEY },
    });
    for (const account of [undefined, "eu", "ok"]) {
      expect(
        message({ accounts, pollInterval: "1" }, env, account)?.replace(/ (is|must|contains) .*?(?=\. \(|$)/g, ""),
      ).toBe(
        "4 settings are missing or invalid: (1) keyplane:accounts.eu.baseUrl. (2) keyplane:accounts.eu.apiKey. " +
          "(3) keyplane:accounts.us.apiKey. (4) keyplane:pollInterval",
      );
    }
  });

  test("are not counted if there is only one", () => {
    expect(message({ pollInterval: "1" })).toMatch(/^keyplane:pollInterval must be/);
  });
});

describe("durations", () => {
  test.each([
    ["90s", 90_000],
    ["15m", 900_000],
    ["12h", 43_200_000],
    ["90d", 7_776_000_000],
    ["2w", 1_209_600_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    "",
    "90",
    "s",
    "1.5h",
    "-1s",
    "0d",
    "1y",
    "3mo",
    "1h30m",
    " 1s",
    "1S",
    "9999999999s",
    90,
    null,
    undefined,
    {},
  ])("%j is refused", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("are shown in the unit that people would choose", () => {
    expect([12_000, 600_000, 18_000_000, 7_776_000_000].map(formatDuration)).toEqual(["12 s", "10 min", "5 h", "90 d"]);
  });
});
