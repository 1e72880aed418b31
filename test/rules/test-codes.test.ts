import ts from "typescript";
import { expect, test } from "vitest";
import { collect, filesBelow, testSources, textOf } from "./source-files";

const LEGEND = "test/README.md";
const MUTANTS = "scripts/mutation/mutants.mjs";

/** The codes that a pattern finds in a text, in the pattern's first group. */
const codesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, code = ""]) => code);

/** The codes of a test name: at its beginning, and of invariants also later. */
function codesOfName(node: ts.Node): string[] | undefined {
  if (!ts.isCallExpression(node) || !/^(describe|it|test)\b/.test(node.expression.getText())) return undefined;
  const [name] = node.arguments;
  if (name === undefined || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) return undefined;
  const text = ts.isTemplateExpression(name) ? name.head.text : name.text;
  return [...codesIn(text, /^([A-Z]\d+)\b/g), ...codesIn(text, /\b(I\d+)\b/g)];
}

const inNames = testSources().flatMap((path) => collect(path, codesOfName).flat());
const inInvariants = ["test/model", "test/crash"]
  .flatMap((folder) => filesBelow(folder))
  .flatMap((path) => codesIn(textOf(path), /\b(I\d+)\b/g));
const inMutants = codesIn(textOf(MUTANTS), /\bby: "([A-Z]\d+)\b/g);
const legend = codesIn(textOf(LEGEND), /^\| ([A-Z]\d+) +\| \w.+ \| \w.+ \|$/gm);

test("the legend explains every code of a test name, an invariant or a mutant", () => {
  for (const [place, codes] of Object.entries({ inNames, inInvariants, inMutants })) {
    expect(codes, place).not.toEqual([]);
    expect(
      codes.filter((code) => !legend.includes(code)),
      place,
    ).toEqual([]);
  }
});

test("the legend has no code twice, and none that no test uses", () => {
  const used = new Set([...inNames, ...inInvariants]);
  expect(legend.filter((code, at) => legend.indexOf(code) !== at)).toEqual([]);
  expect(legend.filter((code) => !used.has(code))).toEqual([]);
});
