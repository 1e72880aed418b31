import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { defineConfig } from "vitest/config";
import { mutants } from "./mutants.mjs";
import { mutate } from "./mutate.mjs";

// Removes one protection from the sources when they are loaded. Changes no file.
const mutant = mutants.find(({ name }) => name === process.env.KEYPLANE_MUTANT);
const root = new URL("../..", import.meta.url).pathname;

// These tests start an executable, so it is bundled with the change.
const executables = [
  ["test/contract/", "provider/plugin/main.ts", process.env.KEYPLANE_PLUGIN],
  ["test/unit/cli/", "cli/main.ts", process.env.KEYPLANE_CLI],
];
for (const [folder, entry, outfile] of executables) {
  if (!process.argv.some((word) => word.startsWith(folder))) continue;
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    plugins: [{ name: "mutant", setup: (bundle) => bundle.onLoad({ filter: /\.ts$/ }, load) }],
  });
}

async function load({ path }) {
  if (mutant === undefined || !path.endsWith(`/${mutant.file}`)) return undefined;
  return { contents: mutate(await readFile(path, "utf8"), mutant), loader: "ts" };
}

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
    include: [
      "test/unit/**/*.test.ts",
      "testing/*/test/*.test.ts",
      "test/contract/plugin*.test.ts",
      "test/model/*stories.test.ts",
      "test/model/plugin-guards.test.ts",
    ],
    setupFiles: ["test/fixed-seed.ts"],
    testTimeout: 60_000,
  },
});
