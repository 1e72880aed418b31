import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactJson, TooManyValues } from "../../../provider/http/exact-json";
import { startCpuClock } from "../cpu-clock";

/** CPU time of a call, in milliseconds. */
function cpuOf(work: () => unknown): number {
  const usedMicros = startCpuClock();
  try {
    work();
  } catch {}
  return usedMicros() / 1_000;
}

describe("an answer", () => {
  test("is read as JSON, whatever it contains", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("keeps the digits of integers that a number cannot represent, also beside texts that look like them", () => {
    const text = String.raw`[12345678901234567890,-9007199254740993,9007199254740991,1e30,1.5,"12345678901234567890","\\\"12345678901234567890"]`;
    expect(parseExactJson(text)).toEqual([
      "12345678901234567890",
      "-9007199254740993",
      9007199254740991,
      1e30,
      1.5,
      "12345678901234567890",
      '\\"12345678901234567890',
    ]);
  });

  test.each([
    ["escaped quotes in a string without an end", `"${'\\"'.repeat(500_000)}`],
    ["escaped quotes outside of a string", '\\"'.repeat(500_000)],
    ["backslashes", `"${"\\".repeat(1_000_001)}"`],
    ["digits", "1".repeat(1_000_000)],
    ["large numbers", `[${"1234567890123456789,".repeat(50_000)}1]`],
    ["minus signs", "-".repeat(1_000_000)],
    ["open brackets", "[".repeat(900_000)],
  ])("of a megabyte with %s takes little of the processor's time", (_, text) => {
    // The former pattern took seven seconds for 160 KB of the first one. That of a test run varies much less.
    expect(cpuOf(() => parseExactJson(text))).toBeLessThan(2_000);
  });

  test("is refused before it takes gigabytes of memory", () => {
    expect(() => parseExactJson(`[${"{},".repeat(1_000_000)}{}]`)).toThrow(TooManyValues);
    expect(parseExactJson(`"${",".repeat(1_000_001)}"`)).toHaveLength(1_000_001);
  });
});
