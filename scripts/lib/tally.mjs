/**
 * Adds up a test run. A check counts as one test. So does a test file that cannot be loaded, and a run that failed
 * although no test did (an error outside every test, or no report).
 *
 * @param {boolean[]} checks - Whether each check passed.
 * @param {boolean} success - Whether vitest succeeded.
 * @param {{ testResults: { status: string, assertionResults: { status: string }[] }[] } | undefined} report
 *   Vitest's JSON report.
 */
export function tally(checks, success, report) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const count = (list, value) => list.filter((entry) => entry === value).length;
  const broken = files.filter((file) => file.status === "failed" && !file.assertionResults.some(isFailed)).length;
  const failedTests = count(tests, "failed") + broken;
  return {
    passed: count(checks, true) + count(tests, "passed"),
    failed: count(checks, false) + failedTests + (success || failedTests > 0 ? 0 : 1),
    skipped: tests.length - count(tests, "passed") - count(tests, "failed"),
  };
}

function isFailed({ status }) {
  return status === "failed";
}
