import { expect, test } from "vitest";
import { filesBelow, textOf } from "./source-files";

const recorded = filesBelow("test/upgrade").filter((path) => /^test\/upgrade\/\d/.test(path));
const versions = [...new Set(recorded.map((path) => path.split("/")[2] ?? ""))];

test("each released version has a recording, from which the current one is upgraded", () => {
  const headings = [...textOf("CHANGELOG.md").matchAll(/^## (\d\S*)(.*)$/gm)];
  const released = headings.flatMap(([, version = "", note]) => (note?.includes("not released") ? [] : [version]));
  expect(released).not.toEqual([]);
  expect(released.filter((version) => !versions.some((name) => version.startsWith(name)))).toEqual([]);
});

test("a recording is small, and has no path of the machine that made it", () => {
  for (const version of versions) {
    const texts = recorded.filter((path) => path.startsWith(`test/upgrade/${version}/`)).map(textOf);
    expect(texts.join("").length, version).toBeLessThan(100_000);
    expect(
      texts.filter((text) => /project:\/{3}|file:\/\/|node_modules/.test(text)),
      version,
    ).toEqual([]);
  }
});
