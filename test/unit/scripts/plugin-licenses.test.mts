import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const { licensesOf } = await import(new URL("../../../scripts/plugin/licenses.mjs", import.meta.url).href);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-licenses-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("packages with the same license text share it, and a package without a text is still named", () => {
  const project = projectWith({
    "": { name: "own", license: "Apache-2.0", text: "Apache" },
    "node_modules/a": { name: "a", license: "MIT", text: "MIT" },
    "node_modules/a/node_modules/@s/b": { name: "@s/b", license: "MIT", text: "MIT\r\n" },
    "node_modules/c": { name: "c", license: "ISC" },
    "node_modules/unused": { name: "unused", license: "MIT", text: "unused" },
  });
  const inputs = ["main.js", "node_modules/a/x.js", "node_modules/a/node_modules/@s/b/y.js", "node_modules/c/z.js"];
  const parts = licensesOf(inputs, project).split(/\n\n-+\n\n/);
  expect(parts).toEqual([
    "own 1.0.0 (Apache-2.0)\n\nApache",
    "a 1.0.0 (MIT)\n@s/b 1.0.0 (MIT)\n\nMIT",
    "c 1.0.0 (ISC)\n\nc declares the license ISC and contains no text of it.",
    "",
  ]);
});

test("a package without a license is not bundled", () => {
  const project = projectWith({ "": { name: "own", license: "Apache-2.0" }, "node_modules/a": { name: "a" } });
  expect(() => licensesOf(["node_modules/a/x.js"], project)).toThrow("a 1.0.0 has no license");
});

/** A project with these packages, by their folders. */
function projectWith(packages: Record<string, { name: string; license?: string; text?: string }>): string {
  const project = mkdtempSync(join(folder, "project-"));
  for (const [path, { text, ...manifest }] of Object.entries(packages)) {
    const at = join(project, path);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), JSON.stringify({ ...manifest, version: "1.0.0" }));
    if (text !== undefined) writeFileSync(join(at, "LICENSE"), text);
  }
  return project;
}
