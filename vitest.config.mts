import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// One project a kind of test, so that each has its own time limits; `npm test` runs them all. A worker loads a module once
// for all files: loading the modules anew for each of many small files would take as long as the tests. A poll waits for
// processes, which a busy machine starts slowly.
const project = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: {
    ...{ name, include, isolate: false, expect: { poll: { timeout: 30_000 } } },
    ...{ server: { deps: { external: [/\/dist\//] } }, ...options },
  },
});

const withPlugin = { globalSetup: ["test/build-plugin.ts"] };

// Most tests start processes of their own: many more workers would only make them wait for each other. They also wait for
// clocks and for processes to end, so four keep two cores busy.
const WORKERS = Math.max(4, Math.floor(availableParallelism() / 2));

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    // Of the crash matrix, in each of its files.
    maxConcurrency: 2,
    projects: [
      project("unit", ["test/unit/**/*.test.{ts,mts}", "testing/*/test/*.test.ts"], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        setupFiles: ["test/fixed-seed.ts"],
      }),
      project("rules", ["test/rules/**/*.test.{ts,mts}"], { testTimeout: 120_000 }),
      project("contract", ["test/contract/**/*.test.{ts,mts}"], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        ...withPlugin,
      }),
      project("conformance", ["test/conformance/**/*.test.{ts,mts}"], { testTimeout: 300_000 }),
      project("crash", ["test/crash/**/*.test.{ts,mts}"], { testTimeout: 180_000, hookTimeout: 60_000, ...withPlugin }),
      project("model", ["test/model/**/*.test.{ts,mts}"], { testTimeout: 300_000 }),
      project("e2e", ["test/e2e/**/*.test.{ts,mts}"], { testTimeout: 180_000, hookTimeout: 60_000, ...withPlugin }),
    ],
  },
});
