import { pulumiOnPath } from "keyplane/testing";

/**
 * The engine that runs the demo: the one that was asked for, else the Pulumi CLI where it is installed. Nothing is
 * downloaded, and whichever it is works in a temporary folder with a home, a backend and a passphrase of its own.
 *
 * @param {string | undefined} asked - `embedded` or `cli`.
 */
export function chooseEngine(asked) {
  const installed = pulumiOnPath();
  if (asked !== undefined && asked !== "embedded" && asked !== "cli") refuse("--engine must be embedded or cli");
  if (asked === "cli" && installed === undefined) refuse("--engine cli needs pulumi on the PATH, and it is not there");
  if (asked === "cli" || (asked === undefined && installed !== undefined)) {
    return {
      name: "cli",
      about: `${installed}, on stacks of its own; --engine embedded takes this repository's engine`,
    };
  }
  const other =
    installed === undefined ? "with the Pulumi CLI on the PATH the demo takes that" : "--engine cli takes pulumi";
  return { name: "embedded", about: `this repository's own, for programs such as this; ${other}` };
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
