// Tries the package, as it is published, in the combinations of one table: versions of Pulumi's SDK and CLI and of Node,
// forms of programs, and installers. Each row installs the tarball in an empty folder and runs the plugin host and a whole
// deployment there. Needs only the build, a registry, and Go: without Go, the embedded engine deploys.
//   npm run test:compat -- [--tarball FILE] [--row N] [--write]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkDestinations } from "./compat/destinations.mjs";
import { failureOf, installRow, runRow } from "./compat/row.mjs";
import { LOWEST, markdownOf, tableOf } from "./compat/rows.mjs";
import { newestSdk, prepareTools } from "./compat/tools.mjs";
import { pack } from "./package/pack.mjs";
import { hasGo, VERSION } from "./real-cli.mjs";

const { values: options } = parseArgs({
  options: {
    /** Uses this package instead of packing one. */
    tarball: { type: "string" },
    /** Runs only this row. */
    row: { type: "string" },
    /** Writes the table into docs/compatibility.md, if all rows pass. */
    write: { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), "keyplane-compat-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
process.once("SIGINT", () => process.exit(130));

say("Packing, and getting Node 20, 22, 24, 26 and pnpm ...");
const { tarball } = pack(folder, options.tarball);
const table = tableOf({ newest: newestSdk(), ...(hasGo() && { lowestCli: LOWEST, newestCli: VERSION }) });
const number = options.row === undefined ? undefined : Number(options.row);
const rows = table
  .map((row, at) => ({ ...row, number: at + 1 }))
  .filter((row) => row.number === (number ?? row.number));
const tools = prepareTools(join(folder, "tools"));

const results = [];
for (const row of rows) {
  const place = join(folder, `row-${row.number}`);
  const started = performance.now();
  const failure = installRow(place, row, tarball, tools) ?? runRow(place, row, tools);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const result = { ...row, node: tools.versionOf(row.node), failure };
  results.push(result);
  say(`${mark(failure)} ${row.number}. ${markdownOf([result]).split("\n").at(-1)} ${seconds} s`, failure);
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}

if (number === undefined) {
  // The programs in docs/destinations.md and docs/sealed-keys.md do not depend on a row.
  const failure = failureOf(() => checkDestinations(join(folder, "destinations"), tarball));
  results.push({ failure });
  say(`${mark(failure)} docs/destinations.md, docs/sealed-keys.md`, failure);
}

const failed = results.filter(({ failure }) => failure !== undefined).length;
process.stdout.write(`\n${results.length - failed} passed, ${failed} failed\n`);
if (options.write && failed === 0 && number === undefined) writeIntoPage(markdownOf(results.slice(0, -1)));
process.exitCode = failed === 0 && results.length > 0 ? 0 : 1;

function writeIntoPage(text) {
  const page = new URL("../docs/compatibility.md", import.meta.url);
  const [before, after] = readFileSync(page, "utf8").split(/(?<=<!-- compat:begin -->)[\s\S]*(?=<!-- compat:end -->)/);
  writeFileSync(page, `${before}\n\n${text}\n\n${after}`);
}

function mark(failure) {
  return failure === undefined ? "✓" : "✗";
}

function say(text, failure) {
  process.stderr.write(`${text}\n${failure === undefined ? "" : `${failure}\n`}`);
}
