import { expect, test } from "vitest";
import { rowOf, type Sample } from "../../../bench/results";

const samples = (requests: number, ...times: number[]): Sample[] => times.map((ms) => ({ requests, ms }));

test.each([
  ["meets its target", samples(11, 90, 129, 300), true],
  ["misses it with more time", samples(11, 90, 131, 132), false],
  ["misses it with a request more", samples(12, 100), false],
  ["misses it with a request less, because the work was not done", samples(10, 100), false],
])("a row of the benchmark %s", (_, own, isMet) => {
  const row = { name: "create", n: 10, target: { requests: 11, ratio: 1.3 } };
  expect(rowOf(row, own, samples(11, 100)).isMet).toBe(isMet);
});
