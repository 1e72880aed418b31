import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forProvider } from "../program/wire";
import { findPlugin } from "../provider/find-plugin";
import {
  compareVersions,
  defaultProviderName,
  newestVersion,
  packageVersionOf,
  withPackageVersion,
  withVersionOf,
} from "../provider/package-version";
import { SIGNATURE_KEY, secretOf } from "../state/property";
import { UNKNOWN } from "../state/values";

describe("the search for a plugin", () => {
  let folder = "";
  const executable = (name: string) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "pulumi-resource-x"), "", { mode: 0o755 });
    return join(folder, name);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "keyplane-plugins-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test("prefers the project's plugin, and the first one on the PATH otherwise", () => {
    const [own, one, other] = ["own", "one", "other"].map(executable);
    const env = { PATH: ["", join(folder, "none"), one, other].join(delimiter) };
    const plugins = [{ name: "x", directory: own ?? "", version: "1.0.0" }];
    expect(findPlugin("x", "", { plugins, env })).toMatchObject({ directory: own, onPath: false });
    expect(findPlugin("x", "1.0.0", { plugins, env })).toMatchObject({ directory: own });
    expect(findPlugin("x", "2.0.0", { plugins, env })).toMatchObject({ directory: one, onPath: true });
    expect(findPlugin("x", "", { plugins: [], env })).toMatchObject({ directory: one, name: "x" });
  });

  test("fails with the plugin's name and how to add it", () => {
    const nowhere = { plugins: [], env: { PATH: folder } };
    expect(() => findPlugin("x", "1.2.3", nowhere)).toThrow(
      /no plugin for the package x in version 1\.2\.3: .*pulumi-resource-x.*plugins:.*PATH/,
    );
    const empty = { plugins: [{ name: "x", directory: folder }], env: {} };
    expect(() => findPlugin("x", "", empty)).toThrow(`${folder} has no executable pulumi-resource-x`);
  });
});

describe("the version of a plugin", () => {
  test.each([
    ["", "", "default"],
    ["1.2.3", "", "default_1_2_3"],
    ["1.2.3-rc.1+build.5", "", "default_1_2_3_rc_1_build_5"],
    ["1.2.3", "https://x.example/y:z", "default_1_2_3_https_/x.example/y_z"],
  ])("names the default provider (%o, %o)", (version, downloadUrl, name) => {
    expect(defaultProviderName({ version, downloadUrl })).toBe(name);
  });

  test("is an input of the provider resource, and the plugin cannot change it", () => {
    const asked = withPackageVersion({ a: 1 }, { version: "1.0.0", downloadUrl: "https://x" });
    expect(asked).toEqual({ a: 1, version: "1.0.0", __internal: { pluginDownloadURL: "https://x" } });
    expect(packageVersionOf(asked)).toEqual({ version: "1.0.0", downloadUrl: "https://x" });
    expect(withVersionOf(asked, { b: 2 }, "u")).toEqual({ ...asked, a: undefined, b: 2 });
    expect(() => withVersionOf(asked, { version: "2.0.0" }, "u")).toThrow('changed the input "version"');
    expect(withPackageVersion({ a: 1 }, { version: "", downloadUrl: "" })).toEqual({ a: 1 });
  });

  test("is compared by numbers, and a preview is older than its release", () => {
    const sorted = ["", "0.9.0", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0-beta", "1.0.0", "1.2.0", "1.10.0"];
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
    expect(compareVersions("v1.0.0", "1.0.0+build")).toBe(0);
  });

  test("is the newest one in the state if a program asks for none", () => {
    const provider = (name: string, version?: string) => ({
      urn: `urn:pulumi:dev::proj::pulumi:providers:${name}::p`,
      type: `pulumi:providers:${name}`,
      custom: true,
      inputs: version ? { version } : {},
    });
    const state = [provider("x", "1.10.0"), provider("x", "1.2.0"), provider("x"), provider("y", "3.0.0")];
    expect(newestVersion("x", state).version).toBe("1.10.0");
    expect(newestVersion("z", state).version).toBe("");
  });
});

test("a provider that understands secrets gets them marked at any depth, and without unknowns if it cannot know them", () => {
  const marked = (value: unknown) => ({ [SIGNATURE_KEY]: "1b47061264138c4ac30d75fd1eb44270", value });
  const map = { a: secretOf(1), b: [secretOf({ c: "x" })], d: secretOf(UNKNOWN) };
  const kept = { unknowns: true, secrets: true, resources: true };
  expect(forProvider(map, kept)).toEqual({ a: marked(1), b: [marked({ c: "x" })], d: marked(UNKNOWN) });
  expect(forProvider(map, { ...kept, unknowns: false })).toEqual({ a: marked(1), b: [marked({ c: "x" })] });
});
