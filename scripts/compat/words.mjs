/** Formats a row's result as one line. A failure includes the output. */
export function lineOf({ number, sdk, node, program, manager, failure, seconds }) {
  const what = `${number}. @pulumi/pulumi ${sdk}, Node ${node}, ${program}, ${manager}`;
  return `${failure === undefined ? "✓" : "✗"} ${what} (${seconds.toFixed(0)} s)${failure ? `\n${failure}` : ""}`;
}

/** Formats all rows as a Markdown list, with one item for each version of the SDK. */
export function listOf(results) {
  const versions = [...new Set(results.map(({ sdk }) => sdk))];
  const cellOf = ({ node, program, manager, failure }) =>
    `${program} (Node ${node}, ${manager}${failure === undefined ? "" : ", fails"})`;
  return versions
    .map(
      (version) =>
        `- ${version}: ${results
          .filter(({ sdk }) => sdk === version)
          .map(cellOf)
          .join(", ")}`,
    )
    .join("\n");
}

/** The last line. */
export function summaryOf(results) {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return `${results.length - failed} passed, ${failed} failed`;
}
