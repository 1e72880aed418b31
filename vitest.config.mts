import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// One project a kind of test, so that each has its own time limits; `npm test` runs them all. A worker loads a module once
// for all files: loading the modules anew for each of many small files would take as long as the tests.
const project = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: { name, include, isolate: false, server: { deps: { external: [/\/dist\//] } }, ...options },
});

// Most tests start processes of their own: more workers would only make them wait for each other. The longer ones also wait
// for clocks and for processes to end, so one more of them keeps two cores busy.
const isLong = process.argv.includes(".long.test.");
const WORKERS = Math.max(isLong ? 4 : 3, Math.floor(availableParallelism() / 2));

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    projects: [
      project("unit", ["test/unit/**/*.test.{ts,mts}", "testing/*/test/*.test.ts"], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        setupFiles: ["test/fixed-seed.ts"],
      }),
      project("rules", ["test/rules/**/*.test.{ts,mts}"], { testTimeout: 120_000 }),
      // Apart from the others, because half of their time is pauses: more of them at once use the cores.
      project("contract", ["test/contract/**/*.test.{ts,mts}"], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        maxWorkers: WORKERS + 1,
        sequence: { groupOrder: 1 },
      }),
      project("conformance", ["test/conformance/**/*.test.{ts,mts}"], { testTimeout: 300_000 }),
      project("crash", ["test/crash/**/*.test.{ts,mts}"], { testTimeout: 180_000, hookTimeout: 60_000 }),
      project("model", ["test/model/**/*.test.{ts,mts}"], { testTimeout: 300_000 }),
      project("e2e", ["test/e2e/**/*.test.{ts,mts}"], { testTimeout: 180_000, hookTimeout: 60_000 }),
    ],
  },
});
