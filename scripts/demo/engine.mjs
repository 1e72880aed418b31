import { pulumiOnPath } from "keyplane/testing";

/**
 * Selects the engine for the demo: the requested one, else the Pulumi CLI if it is installed. Downloads nothing. The
 * engine works in a temporary folder with its own home, backend and passphrase.
 *
 * @param {string | undefined} asked - `embedded` or `cli`.
 */
export function chooseEngine(asked) {
  const installed = pulumiOnPath();
  if (asked !== undefined && asked !== "embedded" && asked !== "cli") refuse("--engine must be embedded or cli");
  if (asked === "cli" && installed === undefined) refuse("--engine cli needs pulumi on the PATH");
  if (asked === "cli" || (asked === undefined && installed !== undefined)) {
    return {
      name: "cli",
      about: `${installed}, isolated from your stacks. For this repository's own: --engine embedded`,
    };
  }
  const other = installed === undefined ? "install the Pulumi CLI and run the demo again" : "--engine cli";
  return { name: "embedded", about: `the one in this repository. For Pulumi's own: ${other}` };
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
