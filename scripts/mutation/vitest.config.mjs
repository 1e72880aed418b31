import { defineConfig } from "vitest/config";

// The tests of the pure code. Each change runs those that reach it.
export default defineConfig({
  test: {
    include: [
      "test/unit/{keys,stack}/**/*.test.ts",
      "test/unit/http/{decisions,limits}.test.ts",
      "test/unit/resources/{inputs,rotation-plan}.test.ts",
    ],
    setupFiles: ["test/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
