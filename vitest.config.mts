import { defineConfig } from "vitest/config";

// One project a kind of test, so that each has its own time limits; `npm test` runs them all.
const project = (name: string, include: string[], options: Record<string, unknown> = {}) => ({
  test: { name, include, server: { deps: { external: [/\/dist\//] } }, ...options },
});

export default defineConfig({
  test: {
    projects: [
      project("unit", ["test/unit/**/*.test.{ts,mts}"], { testTimeout: 60_000, hookTimeout: 60_000 }),
      project("rules", ["test/rules/**/*.test.{ts,mts}"], { testTimeout: 120_000 }),
      project("contract", ["test/contract/**/*.test.{ts,mts}"], { testTimeout: 60_000, hookTimeout: 60_000 }),
      project("conformance", ["test/engine/**/*.test.{ts,mts}"], { testTimeout: 300_000 }),
      project("crash", ["test/crash/**/*.test.{ts,mts}"], { testTimeout: 180_000, hookTimeout: 60_000 }),
      project("model", ["test/model/**/*.test.{ts,mts}"], { testTimeout: 300_000 }),
      project("e2e", ["test/e2e/**/*.test.{ts,mts}"], { testTimeout: 180_000, hookTimeout: 60_000 }),
    ],
  },
});
