import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { changedNames, checkConfig, ProviderConfig, readInputs } from "../../../provider/plugin/config";
import { UNKNOWN } from "../../../provider/schema/fields";
import { resolveSettings } from "../../../provider/settings/settings";

const ACCOUNT = { baseUrl: "https://example.com/api/v2", apiKey: "the-credential" };

describe("the configuration of a provider resource", () => {
  test("reads numbers, maps and texts alike, and null as absent", () => {
    const { read } = new ProviderConfig({ a: 4, b: { eu: 1 }, c: "4", d: null, e: false });
    expect(["a", "b", "c", "d", "e", "f"].map(read)).toEqual(["4", '{"eu":1}', "4", undefined, "false", undefined]);
  });

  test("shows no credential when it is printed", () => {
    const config = new ProviderConfig({ ...ACCOUNT, importKeys: { 7: "the-secret" } });
    expect(inspect({ config }, { depth: 9, showHidden: true })).not.toMatch(/the-(credential|secret)/);
  });

  test("finds the settings that changed at any depth", () => {
    const olds = { a: 1, b: { c: [1] }, d: "same" };
    expect(changedNames(olds, { a: 1, b: { c: [2] }, d: "same", e: 0 })).toEqual(["b", "e"]);
    expect(changedNames(olds, { ...olds, b: { c: [1] } })).toEqual([]);
    expect(changedNames(olds, {})).toEqual(["a", "b", "d"]);
  });

  test("reports each unknown setting by its name, never by its value", () => {
    const failures = checkConfig({ ...ACCOUNT, apikey: "a-secret", token: "a-secret" });
    expect(failures.map(({ property }) => property)).toEqual(["apikey", "token"]);
    expect(JSON.stringify(failures)).not.toContain("a-secret");
  });

  test("is read as Java passes it: numbers and maps are JSON, with marks of secrets and unknown values in it", () => {
    const secret = (value: unknown) => ({
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      value,
    });
    const passed = {
      concurrency: "4.0",
      requestsPerSecond: JSON.stringify(secret(4)),
      requestsPerMinute: '"04da6b54-80e4-46f7-96ec-b56ff0331ba9"',
      importKeys: JSON.stringify(secret({ 7: secret("the-secret") })),
    };
    const { requestsPerMinute, ...inputs } = readInputs({ ...ACCOUNT, ...passed }, "shop");
    expect(requestsPerMinute).toBe(UNKNOWN);
    expect(checkConfig(inputs)).toEqual([]);
    const config = new ProviderConfig(inputs);
    expect(resolveSettings(config.read, {})).toMatchObject({ concurrency: 4, requestsPerSecond: 4 });
    expect(config.importKey("7")).toBe("the-secret");
    expect(checkConfig({ ...ACCOUNT, concurrency: "4.5" })).toHaveLength(1);
  });

  test.each(['{"7":"the-secret"}', "null", "123456789012345678901234567890", '"text"'])(
    "keeps the text %s, which has no marks",
    (apiKey) => {
      expect(readInputs({ apiKey }, "shop")).toEqual({ apiKey });
    },
  );

  test("has no settings of the project, which have the same prefix in a project named keyplane", () => {
    const given = { ...ACCOUNT, zone: "a-value", apikey: "a-value", version: "1.0.0" };
    const { zone, ...inputs } = given;
    expect(readInputs(given, "keyplane")).toEqual(inputs);
    expect(readInputs(given, "shop")).toEqual(given);
  });

  test("lets the engine add inputs, which it names in its own way", () => {
    const added = {
      version: "1.0.0",
      parameterization: "x",
      pluginDownloadURL: "x",
      pluginChecksums: {},
      __internal: {},
    };
    expect(checkConfig({ ...ACCOUNT, ...added })).toEqual([]);
    expect(checkConfig({ ...ACCOUNT, plugins: "x", _internal: "x" })).toHaveLength(2);
  });
});
