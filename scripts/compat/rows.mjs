import { readFileSync } from "node:fs";

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The lowest SDK version that the package declares, and the version used in development. */
export const DECLARED = {
  lowest: /^>=(\S+)/.exec(peerDependencies["@pulumi/pulumi"])[1],
  own: devDependencies["@pulumi/pulumi"],
};

// Covers every pair, not every combination: each SDK with each Node it supports (the newest ones need Node 22), each CLI,
// each program form and each package manager; each Node with each form and each manager; each form with each manager.
const COVER = [
  ["lowest", "lowest", 20, "CommonJS", "pnpm"],
  ["lowest", "newest", 22, "ESM", "npm"],
  ["lowest", "newest", 24, "TypeScript", "npm"],
  ["lowest", "lowest", 20, "compiled", "npm"],
  ["own", "newest", 24, "CommonJS", "npm"],
  ["own", "lowest", 20, "ESM", "pnpm"],
  ["own", "newest", 20, "TypeScript", "npm"],
  ["own", "lowest", 22, "compiled", "pnpm"],
  ["newest", "lowest", 22, "CommonJS", "npm"],
  ["newest", "newest", 24, "ESM", "pnpm"],
  ["newest", "newest", 22, "TypeScript", "pnpm"],
  ["newest", "lowest", 24, "compiled", "npm"],
  ["newest", "newest", 26, "CommonJS", "npm"],
  ["lowest", "newest", 26, "compiled", "pnpm"],
];

/**
 * Returns the rows to run.
 *
 * @param {{ lowest?: string, newest: string, clis: { lowest: string, newest: string } }} versions - The newest version of
 *   the SDK, optionally another lowest one to try, and the versions of the CLI.
 */
export function rowsFor({ lowest, newest, clis }) {
  const versions = { ...DECLARED, ...(lowest && { lowest }), newest };
  return COVER.map(([sdk, cli, node, program, manager], index) => {
    return {
      number: index + 1,
      isLowest: sdk === "lowest",
      sdk: versions[sdk],
      cli: clis[cli],
      node,
      program,
      manager,
    };
  });
}
