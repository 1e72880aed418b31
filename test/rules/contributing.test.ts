import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { filesBelow, root, textOf } from "./source-files";

const page = textOf("CONTRIBUTING.md");
const manifest = JSON.parse(textOf("package.json"));

/** The text below a heading, up to the next one. */
const section = (heading: string) => page.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** The names in backquotes in the first column of the table below a heading. */
function firstColumnOf(heading: string): string[] {
  const cells = [...section(heading).matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

test("the layout in CONTRIBUTING.md lists exactly the folders of the repository, of `sdk` and of `provider`", () => {
  const folders = filesBelow().flatMap((path) => /^((?:sdk|provider)\/[^/]+\/|[^/.]+\/)/.exec(path)?.[1] ?? []);
  const own = [...new Set(folders)].filter((folder) => !["docs/", "provider/", "sdk/"].includes(folder));
  expect(own.length).toBeGreaterThan(15);
  expect(firstColumnOf("Layout").sort()).toEqual(own.sort());
});

test("every file and folder that CONTRIBUTING.md names exists", () => {
  const named = [...page.matchAll(/`((?:[\w.-]+\/)+(?:[\w-]+\.(?:ts|mjs|md|json|yml))?)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(25);
  // A row of the layout also names folders in its own folder. The build makes `bin/`.
  const homes = ["", ...firstColumnOf("Layout")];
  const exists = (path: string) => path === "bin/" || homes.some((home) => existsSync(`${root}/${home}${path}`));
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

test("CONTRIBUTING.md names every npm script, and no other", () => {
  const named = [...page.matchAll(/`npm run ([\w:-]+)|^npm run ([\w:-]+)/gm)].map(([, inline, line]) => inline ?? line);
  expect(named.filter((name) => !(String(name) in manifest.scripts))).toEqual([]);
  const internal = ["test", "build", "lint"];
  expect(Object.keys(manifest.scripts).filter((name) => !named.includes(name) && !internal.includes(name))).toEqual([]);
});

test("CONTRIBUTING.md gives a reason for every dependency, and for no other", () => {
  const { dependencies, devDependencies, peerDependencies } = manifest;
  const used = new Set(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }));
  expect(firstColumnOf("Dependencies").sort()).toEqual([...used].sort());
});
