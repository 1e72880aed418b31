import { isSafe } from "redos-detector";
import ts from "typescript";
import { expect, test } from "vitest";
import { sourcesBelow, textOf } from "./source-files";

/** The text of a pattern may come from the service, a file or a user, so no pattern may take long for any text. */
const FOLDERS = ["provider", "sdk", "cli"];

/** Patterns that read a limited number of characters in vain from each position. */
const EXCEPTIONS: ReadonlySet<string> = new Set(["[A-Za-z0-9_]{32,}"]);

/** The regular expressions in a source file, as they are written. */
function patternsIn(file: string): RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      // The analysis cannot combine these two flags.
      found.push(new RegExp(source, flags.includes("u") ? flags.replace("i", "") : flags));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest));
  return found;
}

test("no pattern backtracks over text that somebody else chose", () => {
  const slow = FOLDERS.flatMap((folder) => sourcesBelow(folder)).flatMap((file) =>
    patternsIn(file)
      .filter((pattern) => !EXCEPTIONS.has(pattern.source))
      .map((pattern) => ({
        file,
        pattern: String(pattern),
        result: isSafe(pattern, { maxScore: 2_000, maxSteps: 100_000, timeout: 60_000 }),
      }))
      .filter(({ result }) => !result.safe)
      .map(({ file, pattern, result }) => `${file}: ${pattern} (${result.error ?? "score"})`),
  );
  expect(slow).toEqual([]);
});
