import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { collect, filesBelow, root, sourcesBelow, testSources, textOf } from "./source-files";

const sources = sourcesBelow("sdk", "provider");

test("code that runs in a user's program or in Pulumi's host never writes to a console", () => {
  const uses = sources.flatMap((path) =>
    collect(path, (node) => (ts.isIdentifier(node) && node.text === "console" ? path : undefined)),
  );
  expect(uses).toEqual([]);
});

/** Names with an underscore that may occur in other folders. */
const elsewhere = [
  // Kinds of errors and environment variables, which are not the service's names.
  ...["not_found", "rate_limit", "answer_lost", "http_proxy", "https_proxy", "no_proxy"],
  // The errors of every route contain it, so it is read where all answers are read.
  "request_id",
  // A field of Pulumi's states.
  "pending_operations",
];

test("the service's field names occur only in provider/api, so that a change of the service affects nothing else", () => {
  const snake = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
  const uses = sources
    .filter((path) => !path.startsWith("provider/api/"))
    .flatMap((path) => {
      return collect(path, (node) => {
        const name = ts.isIdentifier(node) || isQuotedName(node) ? node.text : "";
        return snake.test(name) && !elsewhere.includes(name) ? `${path}: ${name}` : undefined;
      });
    });
  // Pulumi's generated protocol files define this name.
  expect(uses.filter((use) => !use.endsWith("_pb"))).toEqual([]);
});

test("an index describes its folder in its first line and only re-exports names", () => {
  const indexes = sourcesBelow("sdk", "provider", "testing").filter((path) => path.endsWith("/index.ts"));
  // The frozen entry only adapts each resource type to Pulumi's host. What is generated decides in each module what is public.
  const others = indexes
    .filter((path) => path !== "provider/dynamic/index.ts" && !textOf(path).startsWith("// Generated"))
    .flatMap((path) => {
      const { statements } = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2022);
      const isReExport = (statement: ts.Statement) => ts.isExportDeclaration(statement) && statement.exportClause;
      return statements.every(isReExport) ? [] : [path];
    });
  expect(others).toEqual([]);
  expect(indexes.filter((path) => !/^(\/\*\*(\n \*)?|\/\/) ?\S/.test(textOf(path)))).toEqual([]);
});

test("names of source files are in kebab-case", () => {
  const files = [...sourcesBelow("sdk", "provider", "cli", "testing", "bench"), ...testSources()];
  const names = files.map((path) => path.slice(path.lastIndexOf("/") + 1));
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.m?ts$/.test(name))).toEqual([]);
});

/** The name of a property in quotes, or one that is read with `["name"]`. */
function isQuotedName(node: ts.Node): node is ts.StringLiteral {
  if (!ts.isStringLiteral(node)) return false;
  const { parent } = node;
  if (ts.isElementAccessExpression(parent)) return parent.argumentExpression === node;
  return (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node;
}

test("tests use no random input, so that a run that passed passes again", () => {
  const sources = testSources().filter((path) => !path.startsWith("test/rules/"));
  expect(sources.filter((path) => /Math\.random\(|randomInt\(|Date\.now\(\) *%/.test(textOf(path)))).toEqual([]);
  // The unit tests and the model give `fast-check` its seed.
  const drawing = sources.filter((path) => /\bfc\.assert\(/.test(textOf(path)));
  expect(drawing.filter((path) => !/^(test\/(unit|model)|testing\/[\w-]+\/test)\//.test(path))).toEqual([]);
});

test("every file of the repository is text or a picture of the docs, so no downloaded package is among them", () => {
  const isBinary = (path: string) => readFileSync(join(root, path)).includes(0);
  const isPicture = (path: string) =>
    /^docs\/[\w-]+\.png$/.test(path) && readFileSync(join(root, path)).subarray(1, 4).toString() === "PNG";
  expect(filesBelow().filter((path) => isBinary(path) && !isPicture(path))).toEqual([]);
});
