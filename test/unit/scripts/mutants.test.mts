import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const { mutants } = await import(new URL("scripts/mutation/mutants.mjs", root).href);
const { mutate } = await import(new URL("scripts/mutation/mutate.mjs", root).href);

type Mutant = { name: string; file: string; change: { text?: string } };
const codeOf = ({ file }: Mutant) => readFile(new URL(file, root), "utf8");

test("each mutant finds its protection in its source, so that none is skipped unnoticed after a change", async () => {
  expect(mutants.length).toBeGreaterThan(100);
  for (const mutant of mutants) {
    const code = await codeOf(mutant);
    expect(mutate(code, mutant), mutant.name).not.toBe(code);
  }
});

test("a mutant puts no unknown name into its source, which would make a test fail for another reason", async () => {
  const [ofLanguage, own] = [
    ["as", "false", "new", "null", "throw", "true", "void"],
    ["at", "done"],
  ];
  for (const mutant of mutants.filter(({ change }: Mutant) => change.text !== undefined)) {
    const words = (await codeOf(mutant)).match(/\w+/g) ?? [];
    const known = new Set([...words, ...Object.getOwnPropertyNames(globalThis), ...ofLanguage, ...own]);
    const code = mutant.change.text.replace(/"[^"]*"|'[^']*'|`[^`]*`|\/[^/ ]+\//g, "");
    const names: string[] = code.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? [];
    expect(
      names.filter((name) => !known.has(name)),
      mutant.name,
    ).toEqual([]);
  }
});

test("the mutation list copies no lines of the source", () => {
  const texts = mutants.flatMap(({ change }: Mutant) => change.text ?? []);
  expect(texts.filter((text: string) => text.includes("\n") || text.length > 120)).toEqual([]);
});

test("each mutant has a unique name, by which a run selects it", () => {
  const names = mutants.map(({ name }: { name: string }) => name);
  expect(names.filter((name: string, at: number) => names.indexOf(name) !== at)).toEqual([]);
});
