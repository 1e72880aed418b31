import { expect, test } from "vitest";

const { flawsOf } = await import(new URL("../../../scripts/package/flaws.mjs", import.meta.url).href);

const files = ["CHANGELOG.md", "LICENSE", "README.md", "package.json", "dist/sdk/nodejs/index.js"];
const fine = { files, bytes: 300_000, unpackedBytes: 1_000_000 };
const manifest = { main: "dist/sdk/nodejs/index.js", exports: { ".": { default: "./dist/sdk/nodejs/index.js" } } };

test("a complete package has no flaw", () => {
  expect(flawsOf(fine, manifest)).toEqual([]);
});

test("tests, source maps and compiler caches in the package are refused", () => {
  const others = [
    "test/unit/a.test.ts",
    "dist/build.tsbuildinfo",
    "dist/test/unit/a.test.js",
    "dist/sdk/nodejs/a.js.map",
  ];
  expect(flawsOf({ ...fine, files: [...files, ...others] }, manifest)).toEqual(
    others.map((file) => `${file} is not needed by users`),
  );
});

test("a document that links to a file outside the package is refused", () => {
  const docs = [...files, "docs/cli.md", "examples/wait/index.ts"];
  const text = "[a](cli.md#keys) [b](../examples/wait) [c](https://host/x) [d](../test/unit) [e](#here)";
  expect(flawsOf({ ...fine, files: docs }, manifest, { "docs/teams.md": text })).toEqual([
    "docs/teams.md links to test/unit, which is not in the package",
  ]);
});

test("a picture is refused in the package, and missing there if its alternative text is not empty", () => {
  expect(flawsOf({ ...fine, files: [...files, "docs/up.svg"] }, manifest)).toEqual([
    "docs/up.svg is not needed by users",
  ]);
  const text = "![What it shows](report.png) ![As text](up.svg) ![](report.png) [a](report.png)";
  expect(flawsOf(fine, manifest, { "docs/report.md": text })).toEqual([
    "docs/report.md links to docs/report.png, which is not in the package",
    "docs/report.md links to docs/report.png, which is not in the package",
  ]);
});

test("a package that lacks a declared file, runs a script on install or has grown is refused", () => {
  expect(flawsOf(fine, { ...manifest, bin: { keyplane: "dist/cli/main.js" } })).toEqual([
    "dist/cli/main.js is missing",
  ]);
  expect(flawsOf(fine, { ...manifest, scripts: { postinstall: "node x.js" } })).toEqual([
    "the script postinstall would run when the package is installed",
  ]);
  expect(flawsOf({ ...fine, bytes: 650_000 }, manifest)).toEqual(["650000 bytes are too many (at most 560000)"]);
});
