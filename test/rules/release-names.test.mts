import { expect, test } from "vitest";
import { filesBelow, textOf } from "./source-files.js";

const script = (name: string) => import(new URL(`../../scripts/release/${name}.mjs`, import.meta.url).href);
const { readSettings } = await script("settings");
const { namesOf } = await script("names");
const { manifestWith, textsWithNames, wrongTexts } = await script("fill");

const settings = readSettings();
const names: Record<string, string | undefined> = namesOf(settings);

test("documents and package.json have the names of scripts/release/names.json (after a change, run `npm run release:fill`)", () => {
  expect(wrongTexts(settings).map(({ path }: { path: string }) => path)).toEqual([]);
  const manifest = textOf("package.json");
  expect(`${JSON.stringify(manifestWith(JSON.parse(manifest), settings), null, 2)}\n`).toBe(manifest);
});

test("programs in documents import keyplane by its names in scripts/release/names.json", () => {
  const texts = (textsWithNames() as string[]).map(textOf).join("\n");
  const imported = (pattern: RegExp) => [...new Set(Array.from(texts.matchAll(pattern), ([, name]) => name))];
  expect(imported(/^\s*"(\S+\/keyplane)"$/gm)).toEqual([names.go]);
  expect(imported(/^import ([\w.]+)\.keyplane\.[\w.]+;$/gm)).toEqual([names.java]);
  expect(imported(/^using Keyplane = ([\w.]+)\.Keyplane;$/gm)).toEqual([names.dotnet]);
  expect(imported(/^import (\w+) as keyplane$/gm)).toEqual([names.python]);
});

test("every text that says where the repository is says it in one of the two forms that scripts/release/names.json can fill in", () => {
  const said = (textsWithNames() as string[]).filter((path) => {
    const others = textOf(path).replaceAll("a clone of the repository", "");
    return names.repository === undefined ? /clone\s+of\s+the/.test(others) : /clone of the|OWNER\/REPO/.test(others);
  });
  expect(said).toEqual([]);
  expect(textsWithNames()).toEqual(expect.arrayContaining(filesBelow("docs").filter((path) => path.endsWith(".md"))));
});

test("a command of the reader's own repository does not get the address of keyplane's", () => {
  const own = `repos/${names.repository ?? "OWNER/REPOSITORY"}/`;
  expect((textsWithNames() as string[]).filter((path) => textOf(path).includes(own))).toEqual([]);
});
