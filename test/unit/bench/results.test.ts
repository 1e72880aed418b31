import { describe, expect, it } from "vitest";
import { parts, wrongParts } from "../../../bench/parts";
import { judged, type Log, merged } from "../../../bench/results";
import { scenarios } from "../../../bench/scenarios";

const figures = (scenario: string, n: number, requests: number) => ({
  ...{ scenario, n, rttMs: 20, unit: "ms" as const, ms: 100, msFloor: 100, msNaive: null },
  ...{ requests, requestsFloor: n, requestsNaive: null },
});
const row = (scenario: string, n: number, requests: number): Log => judged(figures(scenario, n, requests), {}, false);

describe("the names after --only", () => {
  it("are refused if nothing is measured under one of them, so that no target seems to be met", () => {
    expect(wrongParts(["creat"])).toMatch(/^--only creat names nothing that is measured\. Use one of: create, /);
    expect(wrongParts(["paced", "PACED"])).toContain("--only PACED names nothing");
  });

  it("are all that the benchmark has", () => {
    expect(wrongParts([])).toBeUndefined();
    expect(wrongParts(parts)).toBeUndefined();
    expect(parts).toEqual(expect.arrayContaining(["paced-two", "plugin", "up"]));
  });
});

describe("the results", () => {
  it("keep the rows that were not measured again, and take the others", () => {
    const earlier = [row("create", 10, 11), row("create", 100, 101), row("paced", 200, 201)];
    const all = merged(earlier, [row("noop-plugin", 100, 0), row("create", 100, 102)]);
    expect(all.map(({ scenario, n, requests }) => [scenario, n, requests])).toEqual([
      ["create", 10, 11],
      ["create", 100, 102],
      ["paced", 200, 201],
      ["noop-plugin", 100, 0],
    ]);
  });

  it("do not judge two processes that share a rate at the size of the quick run", () => {
    const two = scenarios.find(({ name }) => name === "paced-two");
    const judgedAt = (n: number, requests: number) =>
      judged(figures("paced-two", n, requests), two?.target ?? {}, false);
    expect(two?.quickSizes.map((n) => judgedAt(n, 2 * n).met)).toEqual([null]);
    expect([judgedAt(400, 406).met, judgedAt(400, 407).met]).toEqual([true, false]);
  });
});
