import ts from "typescript";
import { expect, test } from "vitest";
import { collect, sourcesBelow } from "./source-files";

/** The most parameters of a function. */
const MOST = 4;

/** Functions with more, or with a boolean beside others: `FILE NAME`. Remove an entry with the change that needs it no longer. */
const LEFT = new Set([
  // Programs can throw these errors in their tests, so that their constructors stay.
  "provider/errors/service-errors.ts constructor",
]);

function nameOf(node: ts.SignatureDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? "a function without a name";
}

function isBoolean({ type, initializer }: ts.ParameterDeclaration): boolean {
  return /^boolean\b/.test(type?.getText() ?? "") || /^(true|false)$/.test(initializer?.getText() ?? "");
}

/** The functions of the product whose parameters meet a condition, without those that are left. */
function functionsWith(isWrong: (parameters: readonly ts.ParameterDeclaration[]) => boolean): readonly string[] {
  const found = sourcesBelow("provider", "sdk", "cli").flatMap((path) =>
    collect(path, (node) =>
      ts.isFunctionLike(node) && isWrong([...node.parameters]) ? `${path} ${nameOf(node)}` : undefined,
    ),
  );
  return found.filter((each) => !LEFT.has(each));
}

test(`no function takes more than ${MOST} parameters, so that a call can be read`, () => {
  expect(functionsWith((parameters) => parameters.length > MOST)).toEqual([]);
});

test("no function takes a boolean beside other parameters, because `true` in a call says nothing", () => {
  expect(functionsWith((parameters) => parameters.length > 1 && parameters.some(isBoolean))).toEqual([]);
});
