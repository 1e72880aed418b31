import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { root, textOf } from "./source-files";

const page = textOf("ARCHITECTURE.md");

test("every file that the architecture page names exists", () => {
  const paths = [...page.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, path]) => String(path));
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});

test("every test that the architecture page names exists", () => {
  const named = [...page.matchAll(/`(test\/[\w./-]+\.ts)`: "([^"]+)"/g)];
  expect(named.length).toBeGreaterThan(10);
  const wrong = named.filter(([, path, name]) => !textOf(String(path)).includes(`"${name}"`));
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test("the architecture page can be read in one sitting", () => {
  expect(page.split("\n").length).toBeLessThanOrEqual(150);
});
