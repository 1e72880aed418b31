import { readFileSync } from "node:fs";

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The lowest SDK version that the package declares, and the version used in development. */
const declared = {
  lowest: /^>=(\S+)/.exec(peerDependencies["@pulumi/pulumi"])[1],
  own: devDependencies["@pulumi/pulumi"],
};

// Covers every pair, not every combination: each SDK with each Node it supports (the newest ones need Node 22), each
// program form and each package manager; each Node with each form and each manager; each form with each manager.
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
 * Returns the rows to run.
 *
 * @param {{ lowest?: string, newest: string }} versions - The newest version, and optionally another lowest one to try.
 */
export function rowsFor({ lowest, newest }) {
  const versions = { ...declared, ...(lowest && { lowest }), newest };
  return COVER.map(([sdk, node, program, manager], index) => {
    return { number: index + 1, isLowest: sdk === "lowest", sdk: versions[sdk], node, program, manager };
  });
}
