const folder = ".tmp/mutation";

export default {
  // Pure code that decides about keys, requests and states.
  mutate: [
    "provider/keys/{orphan-decision,retirement,naming,deadline}.ts",
    "provider/resources/rotation/plan.ts",
    "provider/schema/{check,diff}.ts",
    "provider/stack/{history,state,keys-in-state}.ts",
    "provider/http/statuses.ts",
    "provider/http/retry/*.ts",
    "provider/http/limits/pace.ts",
  ],
  // The compiler finds a wrong word among those of a type, and tests do not repeat sentences.
  mutator: { excludedMutations: ["StringLiteral"] },
  testRunner: "vitest",
  vitest: { configFile: "scripts/mutation/vitest.config.mjs" },
  coverageAnalysis: "perTest",
  // One worker on two cores, because an overtaken one would seem to run forever.
  concurrency: 1,
  timeoutMS: 20_000,
  thresholds: { high: 100, low: 98, break: 97 },
  // With `--incremental`, only what has changed is tried again, except changes outside of functions.
  incrementalFile: `${folder}/incremental.json`,
  tempDirName: `${folder}/sandbox`,
  ignorePatterns: [
    "/*",
    ...["provider", "cli", "testing", "test", "scripts", "package.json"].map((name) => `!/${name}`),
  ],
  reporters: ["clear-text", "html"],
  clearTextReporter: { logTests: false, reportTests: false },
  htmlReporter: { fileName: `${folder}/report.html` },
};
