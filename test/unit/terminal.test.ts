import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { displayOptionsFor } from "../../testing/engine/display";

const widths: [what: string, stream: { isTTY?: boolean; columns?: number }, columns: number][] = [
  ["a terminal that tells its width", { isTTY: true, columns: 120 }, 120],
  ["a terminal that tells a width of 0", { isTTY: true, columns: 0 }, 80],
  ["a terminal that tells no width", { isTTY: true }, 80],
  ["a pipe", {}, Number.POSITIVE_INFINITY],
];

test.each(widths)("the engine's display uses the same width for %s", (_, stream, columns) => {
  expect(displayOptionsFor(Object.assign(new PassThrough(), stream), {}, true).columns()).toBe(columns);
});
