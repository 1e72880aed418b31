/** Formats a row's result as one line. A failure includes the output. */
export function lineOf({ number, sdk, cli, node, program, manager, failure, seconds }) {
  const what = `${number}. @pulumi/pulumi ${sdk}, ${engineOf(cli)}, Node ${node}, ${program}, ${manager}`;
  return `${failure === undefined ? "✓" : "✗"} ${what} (${seconds.toFixed(0)} s)${failure ? `\n${failure}` : ""}`;
}

/** Formats all rows as a Markdown table. */
export function tableOf(results) {
  const rows = results.map(({ sdk, cli, node, program, manager, failure }) => {
    return [sdk, engineOf(cli), node, program, manager, failure === undefined ? "works" : "fails"];
  });
  const lines = [["`@pulumi/pulumi`", "Engine", "Node", "Program", "Installed by", ""], Array(6).fill("---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function engineOf(cli) {
  return cli === undefined ? "embedded engine" : `CLI ${cli}`;
}

/** The last line. */
export function summaryOf(results) {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return `${results.length - failed} passed, ${failed} failed`;
}
