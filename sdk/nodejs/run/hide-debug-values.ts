// Pulumi's SDK writes each answer of the engine, and the arguments of each call, into a debug message: with all secrets in
// clear. The messages are in what `--json`, `--event-log` and `--debug` print, and in the events of the Automation API. So
// this module, loaded with the package, cuts the values off. Should a release of the SDK do this in another way, its
// messages stay as they are.

/** Set to `true`, it leaves Pulumi's debug messages as they are. */
const KEEP = "KEYPLANE_KEEP_DEBUG_VALUES";

/** What comes before the values in the messages that hold some. */
const BEFORE_VALUES = /^(?:.*? RPC (?:finished|prepared): .*?)?(?:, resp: |, obj=)/s;

/** A debug message of Pulumi's SDK without the values of properties. */
export function withoutValues(message: string): string {
  const [before] = BEFORE_VALUES.exec(message) ?? [];
  return before === undefined ? message : `${before}[left out by keyplane]`;
}

type Debug = (message: string, ...others: unknown[]) => unknown;

const log = require("@pulumi/pulumi/log") as { debug?: Debug };
const { debug } = log;
if (typeof debug === "function" && process.env[KEEP] !== "true") {
  log.debug = (message, ...others) => debug(withoutValues(message), ...others);
}
