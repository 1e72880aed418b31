/**
 * Counts the tests of each kind and their duration: one row for each folder of `test/`, and for each
 * workspace in `testing/`.
 *
 * @param {{ name: string, startTime: number, endTime: number, assertionResults: { status: string }[] }[]} testResults
 *   Those of vitest's JSON report.
 */
export function durations(testResults) {
  const rows = new Map();
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const [, kind = name] = /[\\/]test(?:ing)?[\\/]([\w-]+)[\\/]/.exec(name) ?? [];
    const row = rows.get(kind) ?? { name: kind, files: 0, passed: 0, failed: 0, ms: 0 };
    const count = (status) => assertionResults.filter((test) => test.status === status).length;
    rows.set(kind, {
      name: kind,
      files: row.files + 1,
      passed: row.passed + count("passed"),
      failed: row.failed + count("failed"),
      ms: row.ms + (endTime - startTime),
    });
  }
  return [...rows.values()].sort((one, other) => other.ms - one.ms);
}
