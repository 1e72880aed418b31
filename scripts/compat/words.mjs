/** Formats a row's result as one line. A failure includes the output. */
export function lineOf({ number, sdk, cli, node, program, manager, failure, seconds }) {
  const what = `${number}. @pulumi/pulumi ${sdk}, ${engineOf(cli)}, Node ${node}, ${program}, ${manager}`;
  return `${failure === undefined ? "✓" : "✗"} ${what} (${seconds.toFixed(0)} s)${failure ? `\n${failure}` : ""}`;
}

/** Says in sentences what the rows, which all work, have tried. */
export function sentencesOf(rows) {
  const sdks = distinct(rows.map(({ sdk }) => sdk));
  const nodesOf = (sdk) => listOf(rows.filter((row) => row.sdk === sdk).map(({ node }) => node));
  const engines = listOf(rows.map(({ cli }) => engineOf(cli)));
  const programs = listOf(rows.map(({ program }) => (program === "compiled" ? "compiled TypeScript" : program)));
  const managers = listOf(rows.map(({ manager }) => manager));
  return [
    `${rows.length} combinations were tried, and work. They have these versions of \`@pulumi/pulumi\`:`,
    sdks.map((sdk) => `- ${sdk}, with Node ${nodesOf(sdk)}`).join("\n"),
    `They also vary the engine (${engines}), the program (${programs}) and the installer (${managers}).`,
  ].join("\n\n");
}

const distinct = (values) => [...new Set(values)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

const listOf = (values) => distinct(values).join(", ");

function engineOf(cli) {
  return cli === undefined ? "embedded engine" : `CLI ${cli}`;
}

/** The last line. */
export function summaryOf(results) {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return `${results.length - failed} passed, ${failed} failed`;
}
