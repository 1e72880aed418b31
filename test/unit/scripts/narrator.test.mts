import { PassThrough } from "node:stream";
import { expect, test } from "vitest";

const { Narrator } = await import(new URL("../../../scripts/demo/narrator.mjs", import.meta.url).href);

/** What the demo prints for an engine's line in a terminal with this many columns. */
function told(line: string, columns: number): string[] {
  const stream = new PassThrough();
  new Narrator(stream, () => columns).engine(line);
  return String(stream.read()).trimEnd().split("\n");
}

const line = "word ".repeat(40).trimEnd();

test.each([80, 120])("the demo breaks an engine's long line so that it fits %i columns and fills them", (columns) => {
  const lengths = told(line, columns).map((part) => part.length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(columns);
  expect(lengths[0]).toBeGreaterThan(columns - 10);
});

test("the demo leaves an engine's long line whole in a pipe", () => {
  expect(told(line, Number.POSITIVE_INFINITY)).toEqual([`   | ${line}`]);
});
