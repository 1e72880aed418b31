/** Formats a row's result as one line. A failure includes the output. */
export function lineOf({ number, sdk, node, program, manager, failure, seconds }) {
  const what = `${number}. @pulumi/pulumi ${sdk}, Node ${node}, ${program}, ${manager}`;
  return `${failure === undefined ? "✓" : "✗"} ${what} (${seconds.toFixed(0)} s)${failure ? `\n${failure}` : ""}`;
}

/** Formats all rows as a Markdown table, padded like the formatter does it. */
export function tableOf(results) {
  const head = ["`@pulumi/pulumi`", "Node", "Program", "Installed by", "Works"];
  const rows = results.map(({ sdk, node, program, manager, failure }) => {
    return [sdk, node, program, manager, failure === undefined ? "yes" : "no"];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** The last line. */
export function summaryOf(results) {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return `${results.length - failed} passed, ${failed} failed`;
}
