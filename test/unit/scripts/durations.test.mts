import { expect, test } from "vitest";

const { durations } = await import(new URL("../../../scripts/lib/durations.mjs", import.meta.url).href);

const file = (name: string, seconds: number, ...statuses: string[]) => ({
  name,
  startTime: 5_000,
  endTime: 5_000 + seconds * 1_000,
  assertionResults: statuses.map((status) => ({ status })),
});

test("the table of durations has a row for each kind of test, the longest first", () => {
  const testResults = [
    file("/repo/test/unit/http/client.test.ts", 1, "passed", "failed"),
    file("/repo/test/e2e/demo.long.test.ts", 9, "passed"),
    file("/repo/testing/control-plane/test/log.test.ts", 1, "passed"),
    file("C:\\repo\\test\\unit\\errors\\codes.test.ts", 2, "passed", "skipped"),
  ];
  expect(durations(testResults)).toEqual([
    { name: "e2e", files: 1, passed: 1, failed: 0, ms: 9_000 },
    { name: "unit", files: 2, passed: 2, failed: 1, ms: 3_000 },
    { name: "control-plane", files: 1, passed: 1, failed: 0, ms: 1_000 },
  ]);
});
