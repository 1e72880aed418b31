import { defineConfig } from "vitest/config";
import { mutants } from "./mutants.mjs";
import { mutate } from "./mutate.mjs";

// Removes one protection from the sources when they are loaded. Changes no file.
const mutant = mutants.find(({ name }) => name === process.env.KEYPLANE_MUTANT);
const root = new URL("../..", import.meta.url).pathname;

export default defineConfig({
  root,
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      transform: (code, id) =>
        mutant !== undefined && id.endsWith(`/${mutant.file}`) ? mutate(code, mutant) : undefined,
    },
  ],
  test: {
    include: ["test/unit/**/*.test.ts", "testing/*/test/*.test.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
