import { defineConfig } from "vitest/config";

// A command of a deployment takes about two seconds, and each test runs several.
export default defineConfig({ test: { testTimeout: 60_000 } });
