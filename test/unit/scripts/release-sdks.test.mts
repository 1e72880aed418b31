import { expect, test } from "vitest";

const { packagesIn, warningsIn } = await import(new URL("../../../scripts/release/sdks.mjs", import.meta.url).href);

test("a warning of a Python build is a flaw, except that Python was told not to compile", () => {
  const said = `  warning: build_py: byte-compiling is disabled, skipping.
  copying pulumi_keyplane/provider.py
  config/expand.py:126: BuildBackendWarning: File 'README.md' cannot be found
  DEPRECATION: building by another way`;
  expect(warningsIn(said)).toEqual([
    "config/expand.py:126: BuildBackendWarning: File 'README.md' cannot be found",
    "DEPRECATION: building by another way",
  ]);
});

test("the SDK for Java is compiled with the packages that its own build file names", () => {
  const gradle = `plugins {
    id("java-library")
}
dependencies {
    implementation("com.google.code.gson:gson:2.8.9")
    implementation("com.pulumi:pulumi:1.0.0")
}`;
  expect(packagesIn(gradle)).toEqual([
    { group: "com.google.code.gson", artifact: "gson", version: "2.8.9" },
    { group: "com.pulumi", artifact: "pulumi", version: "1.0.0" },
  ]);
});
