import { readFileSync } from "node:fs";

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The lowest version of SDK and CLI that the package declares, and the version of the SDK used in development. */
export const [, LOWEST] = /^>=(\S+)/.exec(peerDependencies["@pulumi/pulumi"]);
const OWN = devDependencies["@pulumi/pulumi"];

/**
 * The table: SDK, CLI, Node, program, installer. It covers every pair, not every combination: each SDK with each Node it
 * supports (the newest ones need Node 22), each CLI, each program form and each installer; each Node with each form and each
 * installer; each form with each installer.
 *
 * @param {{ newest: string, lowestCli?: string, newestCli?: string }} versions - The newest version of the SDK, and the
 *   versions of the CLI; without them, the embedded engine deploys.
 */
export function tableOf({ newest, lowestCli, newestCli }) {
  return [
    [LOWEST, lowestCli, 20, "CommonJS", "pnpm"],
    [LOWEST, newestCli, 22, "ESM", "npm"],
    [LOWEST, newestCli, 24, "TypeScript", "npm"],
    [LOWEST, lowestCli, 20, "compiled", "npm"],
    [OWN, newestCli, 24, "CommonJS", "npm"],
    [OWN, lowestCli, 20, "ESM", "pnpm"],
    [OWN, newestCli, 20, "TypeScript", "npm"],
    [OWN, lowestCli, 22, "compiled", "pnpm"],
    [newest, lowestCli, 22, "CommonJS", "npm"],
    [newest, newestCli, 24, "ESM", "pnpm"],
    [newest, newestCli, 22, "TypeScript", "pnpm"],
    [newest, lowestCli, 24, "compiled", "npm"],
    [newest, newestCli, 26, "CommonJS", "npm"],
    [LOWEST, newestCli, 26, "compiled", "pnpm"],
  ].map(([sdk, cli, node, program, manager]) => ({ sdk, cli, node, program, manager, isLowest: sdk === LOWEST }));
}

const COLUMNS = ["`@pulumi/pulumi`", "Pulumi CLI", "Node", "Program", "Installed by"];

/** The rows as a table in Markdown. */
export function markdownOf(rows) {
  const lines = rows.map(({ sdk, cli = "none", node, program, manager }) => [sdk, cli, node, program, manager]);
  const widths = COLUMNS.map((_, at) => Math.max(...[COLUMNS, ...lines].map((line) => line[at].length)));
  const ruler = widths.map((width) => "-".repeat(width));
  return [COLUMNS, ruler, ...lines]
    .map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(" | ")} |`)
    .join("\n");
}
