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
      about: `${installed}, kept away from your stacks. For this repository's own: --engine embedded`,
    };
  }
  const other = installed === undefined ? "install the Pulumi CLI and run the demo again" : "--engine cli";
  return { name: "embedded", about: `the one in this repository. For Pulumi's own: ${other}` };
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
