import { expect, test } from "vitest";

const { packagesIn } = await import(new URL("../../../scripts/release/sdks.mjs", import.meta.url).href);

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
