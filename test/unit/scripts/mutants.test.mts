import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const { mutants } = await import(new URL("scripts/mutation/mutants.mjs", root).href);
const { mutate } = await import(new URL("scripts/mutation/mutate.mjs", root).href);

test("each mutant finds its protection in its source, so that none is skipped unnoticed after a change", async () => {
  expect(mutants.length).toBeGreaterThan(100);
  for (const mutant of mutants) {
    const code = await readFile(new URL(mutant.file, root), "utf8");
    expect(mutate(code, mutant), mutant.name).not.toBe(code);
  }
});

test("each mutant has a unique name, by which a run selects it", () => {
  const names = mutants.map(({ name }: { name: string }) => name);
  expect(names.filter((name: string, at: number) => names.indexOf(name) !== at)).toEqual([]);
});
