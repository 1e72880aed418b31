import ts from "typescript";
import { expect, test } from "vitest";
import { collect, sourcesBelow, textOf } from "./source-files";

const sources = sourcesBelow("sdk/nodejs", "provider");

test("what runs in a user's program or in Pulumi's host never writes to a console", () => {
  const uses = sources.flatMap((path) =>
    collect(path, (node) => (ts.isIdentifier(node) && node.text === "console" ? path : undefined)),
  );
  expect(uses).toEqual([]);
});

/** Names with an underscore that may stand elsewhere. */
const elsewhere = [
  // Kinds of error and variables of the environment: not the service's.
  ...["not_found", "rate_limit", "answer_lost", "http_proxy", "https_proxy", "no_proxy"],
  // Every route's errors carry it, so it is read where all answers are.
  "request_id",
];

test("names of the wire stay in provider/api, so that a change of the service ends there", () => {
  const snake = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
  const uses = sources
    .filter((path) => !path.startsWith("provider/api/"))
    .flatMap((path) => {
      return collect(path, (node) => {
        const name = ts.isIdentifier(node) || isQuotedName(node) ? node.text : "";
        return snake.test(name) && !elsewhere.includes(name) ? `${path}: ${name}` : undefined;
      });
    });
  // A name of Pulumi's generated protocol files is not ours to choose.
  expect(uses.filter((use) => !use.endsWith("_pb"))).toEqual([]);
});

test("an index says in its first line what lives in its folder, and only passes names on", () => {
  const indexes = sourcesBelow("sdk/nodejs", "provider", "testing").filter((path) => path.endsWith("/index.ts"));
  // The frozen entry adapts each kind to Pulumi's host, and is nothing else.
  const others = indexes
    .filter((path) => path !== "provider/host/index.ts")
    .flatMap((path) => {
      const { statements } = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2022);
      const isReExport = (statement: ts.Statement) => ts.isExportDeclaration(statement) && statement.exportClause;
      return statements.every(isReExport) ? [] : [path];
    });
  expect(others).toEqual([]);
  expect(indexes.filter((path) => !/^(\/\*\*(\n \*)?|\/\/) ?\S/.test(textOf(path)))).toEqual([]);
});

/** A property's name in quotes, or one that is read by `["name"]`. */
function isQuotedName(node: ts.Node): node is ts.StringLiteral {
  if (!ts.isStringLiteral(node)) return false;
  const { parent } = node;
  if (ts.isElementAccessExpression(parent)) return parent.argumentExpression === node;
  return (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node;
}

test("tests draw nothing at random, so that a run that passed passes again", () => {
  const sources = sourcesBelow("test").filter((path) => !/^test\/(kit|bench|rules)\//.test(path));
  expect(sources.filter((path) => /Math\.random\(|randomInt\(|Date\.now\(\) *%/.test(textOf(path)))).toEqual([]);
  // `fast-check` is given its seed for the unit tests, where it is used, and by the model itself.
  const drawing = sources.filter((path) => /\bfc\.assert\(/.test(textOf(path)));
  expect(drawing.filter((path) => !/^test\/(unit|model)\//.test(path))).toEqual([]);
});
