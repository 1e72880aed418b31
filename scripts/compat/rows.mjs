import { readFileSync } from "node:fs";

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The lowest version of the SDK that the package says it works with, and the one that it is developed with. */
const declared = {
  lowest: /^>=(\S+)/.exec(peerDependencies["@pulumi/pulumi"])[1],
  own: devDependencies["@pulumi/pulumi"],
};

// Not every combination, but every pair: each SDK with each Node it allows (the newest ones want Node 22), each form of
// program and each package manager; each Node with each form and each manager; each form with each manager.
const COVER = [
  ["lowest", 20, "CommonJS", "pnpm"],
  ["lowest", 22, "ESM", "npm"],
  ["lowest", 24, "TypeScript", "npm"],
  ["lowest", 20, "compiled", "npm"],
  ["own", 24, "CommonJS", "npm"],
  ["own", 20, "ESM", "pnpm"],
  ["own", 20, "TypeScript", "npm"],
  ["own", 22, "compiled", "pnpm"],
  ["newest", 22, "CommonJS", "npm"],
  ["newest", 24, "ESM", "pnpm"],
  ["newest", 22, "TypeScript", "pnpm"],
  ["newest", 24, "compiled", "npm"],
];

/**
 * The rows to run.
 *
 * @param {{ lowest?: string, newest: string }} versions - The newest version there is; another lowest one to try.
 */
export function rowsFor({ lowest, newest }) {
  const versions = { ...declared, ...(lowest && { lowest }), newest };
  return COVER.map(([sdk, node, program, manager], index) => {
    return { number: index + 1, isLowest: sdk === "lowest", sdk: versions[sdk], node, program, manager };
  });
}
