import ts from "typescript";
import { expect, test } from "vitest";
import { collect, testSources } from "./source-files";

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

/** All known failures of creations, deletions, reads, waits, pages and rotations. `test/README.md` explains them. */
const ROWS = [
  ...numbered("C", 14),
  ...numbered("D", 9),
  ...numbered("R", 7),
  ...numbered("W", 10),
  ...numbered("P", 3),
  ...numbered("T", 12),
];

/** The code at the beginning of a test's name: `C4: ...`, or `C4 ...` if words of a table follow. */
function rowOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [name] = node.arguments;
  if (name === undefined || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) return undefined;
  const text = ts.isTemplateExpression(name) ? name.head.text : name.text;
  return /^([CDRWPT]\d+)(: | )/.exec(text)?.[1];
}

test("every known failure has a test whose name begins with its code", () => {
  const proven = new Set(testSources().flatMap((path) => collect(path, rowOf)));
  expect(ROWS.filter((row) => !proven.has(row))).toEqual([]);
  expect([...proven].filter((row) => !ROWS.includes(row))).toEqual([]);
});
