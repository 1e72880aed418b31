import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const { nodeFor, SYSTEMS, THIS_SYSTEM } = await import(
  new URL("../../../scripts/plugin/node.mjs", import.meta.url).href
);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-node-"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("a system for which npm has no Node is named, with those for which it has one", () => {
  expect(() => nodeFor("freebsd-x64")).toThrow(/freebsd-x64: npm has Node only for linux-x64, linux-arm64, darwin-x64/);
});

test.runIf(SYSTEMS.includes(THIS_SYSTEM))("another package than the pinned one is neither used nor kept", () => {
  const npm = join(folder, "npm-cli.js");
  writeFileSync(npm, 'require("node:fs").writeFileSync("node.tgz", "another one");');
  vi.stubEnv("npm_execpath", npm);
  expect(() => nodeFor(THIS_SYSTEM)).toThrow(/^The npm registry has another node-\S+ than scripts\/plugin\/nodes.json/);
  expect(readdirSync(join(folder, "keyplane", "node"))).toEqual([]);
});
