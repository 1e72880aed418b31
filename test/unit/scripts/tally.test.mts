import { expect, test } from "vitest";

const { tally } = await import(new URL("../../../scripts/lib/tally.mjs", import.meta.url).href);

const file = (status: string, ...statuses: string[]) => ({
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
});

test.each([
  ["adds checks and tests", [true, true], true, [file("passed", "passed", "passed")], [4, 0, 0]],
  ["counts a failed check", [false, true], true, [file("passed", "passed")], [2, 1, 0]],
  ["counts skipped and todo tests apart", [], true, [file("passed", "passed", "skipped", "todo")], [1, 0, 2]],
  ["counts a file that could not be loaded", [], false, [file("failed")], [0, 1, 0]],
  ["does not count a file besides its failed tests", [], false, [file("failed", "failed", "passed")], [1, 1, 0]],
  ["fails a run that failed outside its tests", [], false, [file("passed", "passed")], [1, 1, 0]],
])("the summary %s", (_, checks, success, testResults, [passed, failed, skipped]) => {
  expect(tally(checks, success, { testResults })).toEqual({ passed, failed, skipped });
});

test("a run without a report never counts as passed", () => {
  expect(tally([true], false, undefined)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});
