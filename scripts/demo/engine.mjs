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
  if (asked === "cli" && installed === undefined)
    refuse("--engine cli needs the Pulumi CLI on the PATH. Install it, or pass --engine embedded");
  if (asked === "cli" || (asked === undefined && installed !== undefined)) {
    return {
      name: "cli",
      about: `${installed}, isolated from your stacks. To use this repository's engine, pass --engine embedded`,
    };
  }
  const other = installed === undefined ? "install it and run the demo again" : "pass --engine cli";
  return { name: "embedded", about: `this repository's own. To use the Pulumi CLI, ${other}` };
}

function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}
