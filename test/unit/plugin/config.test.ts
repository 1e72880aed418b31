import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { changedNames, checkConfig, ProviderConfig } from "../../../provider/plugin/config";

const ACCOUNT = { baseUrl: "https://example.com/api/v2", apiKey: "the-credential" };

describe("the configuration of a provider resource", () => {
  it("reads numbers, maps and texts alike, and null as absent", () => {
    const { read } = new ProviderConfig({ a: 4, b: { eu: 1 }, c: "4", d: null, e: false });
    expect(["a", "b", "c", "d", "e", "f"].map(read)).toEqual(["4", '{"eu":1}', "4", undefined, "false", undefined]);
  });

  it("shows no credential when it is printed", () => {
    const config = new ProviderConfig({ ...ACCOUNT, importKeys: { 7: "the-secret" } });
    expect(inspect({ config }, { depth: 9, showHidden: true })).not.toMatch(/the-(credential|secret)/);
  });

  it("finds the settings that changed at any depth", () => {
    const olds = { a: 1, b: { c: [1] }, d: "same" };
    expect(changedNames(olds, { a: 1, b: { c: [2] }, d: "same", e: 0 })).toEqual(["b", "e"]);
    expect(changedNames(olds, { ...olds, b: { c: [1] } })).toEqual([]);
    expect(changedNames(olds, {})).toEqual(["a", "b", "d"]);
  });

  it("reports each unknown setting by its name, never by its value", () => {
    const failures = checkConfig({ ...ACCOUNT, apikey: "a-secret", token: "a-secret" });
    expect(failures.map(({ property }) => property)).toEqual(["apikey", "token"]);
    expect(JSON.stringify(failures)).not.toContain("a-secret");
  });

  it("lets the engine add inputs, which it names in its own way", () => {
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
