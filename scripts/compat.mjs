// Checks that the published package works on every supported version of Pulumi's SDK and CLI and of Node, in every form
// of program, installed by npm and pnpm. The tarball is packed once. Each row installs it in an empty folder and runs the
// plugin host and a whole deployment there, with the row's Node and CLI. Needs only the build, a registry, and Go: without
// Go, the embedded engine deploys.
//   npm run test:compat -- [--tarball FILE] [--sdk VERSION] [--row N] [--write]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkDestinations } from "./compat/destinations.mjs";
import { writeIntoPage } from "./compat/page.mjs";
import { failureOf, installRow, runRow } from "./compat/row.mjs";
import { DECLARED, rowsFor } from "./compat/rows.mjs";
import { newestSdk, prepareTools } from "./compat/tools.mjs";
import { lineOf, sentencesOf, summaryOf } from "./compat/words.mjs";
import { pack } from "./package/pack.mjs";
import { hasGo, VERSION } from "./real-cli.mjs";

const { values: options } = parseArgs({
  options: {
    /** Uses this package instead of packing one. */
    tarball: { type: "string" },
    /** Uses this version as the lowest one, to find out how old a supported version can be. */
    sdk: { type: "string" },
    /** Runs only this row. */
    row: { type: "string" },
    /** Writes into docs/compatibility.md what was tried, if all rows pass. */
    write: { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), "keyplane-compat-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
process.once("SIGINT", () => process.exit(130));

say("Packing, and getting Node 20, 22, 24, 26 and pnpm ...");
const { tarball } = pack(folder, options.tarball);
const clis = hasGo() ? { lowest: DECLARED.lowest, newest: VERSION } : {};
const rows = rowsFor({ lowest: options.sdk, newest: newestSdk(), clis }).filter(({ number, isLowest }) => {
  if (options.row !== undefined) return number === Number(options.row);
  return options.sdk === undefined || isLowest;
});
const tools = prepareTools(join(folder, "tools"));

const results = [];
for (const row of rows) {
  const place = join(folder, `row-${row.number}`);
  const started = performance.now();
  const failure = installRow(place, row, tarball, tools) ?? runRow(place, row, tools);
  const result = { ...row, node: tools.versionOf(row.node), failure, seconds: (performance.now() - started) / 1000 };
  results.push(result);
  say(lineOf(result));
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

// The programs in docs/destinations.md do not depend on a row.
const isWhole = options.sdk === undefined && options.row === undefined;
const pages = isWhole ? [{ failure: failureOf(() => checkDestinations(join(folder, "destinations"), tarball)) }] : [];
for (const { failure } of pages)
  say(failure ? `✗ docs/destinations.md\n${failure}` : "✓ docs/destinations.md type-checks");

const all = [...results, ...pages];
const green = all.every(({ failure }) => failure === undefined);
process.stdout.write(`\n${summaryOf(all)}\n`);
if (options.write && green && isWhole) writeIntoPage(sentencesOf(results));
process.exitCode = green && results.length > 0 ? 0 : 1;

function say(text) {
  process.stderr.write(`${text}\n`);
}
