import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const { flawsOfPrograms } = await import(new URL("../../../scripts/compat/destinations.mjs", import.meta.url).href);

const TYPES = `
interface Inner {
  /** @deprecated Use new. */
  old?: string;
  new?: string;
}
interface Args extends Inner { inner?: Inner | Promise<Inner> }
declare function resource(args: Args): void;
`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyplane-destinations-"));
});

afterEach(() => rm(folder, { recursive: true }));

test.each([
  ["a current input passes", '{ new: "a", inner: { new: "a" } }', []],
  ["a deprecated input is a flaw", '{ old: "a" }', ["old"]],
  ["a deprecated input of an object that can be an output is a flaw", '{ inner: { old: "a" } }', ["old"]],
  ["an error of the compiler is a flaw", "{ new: 1 }", ["number"]],
])("in the programs of the page on destinations, %s", async (_, args, found) => {
  const file = join(folder, "program.mts");
  await writeFile(file, `${TYPES}resource(${args});\nexport {};\n`);
  const words: string[] = found;
  expect(flawsOfPrograms([file], { types: [] })).toEqual(words.map((word) => expect.stringContaining(word)));
});
