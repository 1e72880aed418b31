import { rewriteDebug } from "./pulumi-internals";

// Pulumi's SDK writes each answer of the engine, and the arguments of each call, into a debug message, with all secrets
// in clear text. `--json`, `--event-log`, `--debug` and the events of the Automation API show these messages. This
// module is loaded with the package and removes the values. If a release of the SDK changes the messages, they stay as
// they are.

/** If this is `true`, Pulumi's debug messages stay as they are. */
const KEEP = "KEYPLANE_KEEP_DEBUG_VALUES";

/** What a message of a call contains. Others can only begin with values. */
const CALL = / RPC (?:finished|prepared): /;

/** The text directly before the values in a message. */
const BEFORE_VALUES = /, resp: |, obj=/;

/** A debug message of Pulumi's SDK without the values of properties. */
export function withoutValues(message: string): string {
  const call = CALL.exec(message);
  const from = call === null ? 0 : call.index + call[0].length;
  const values = BEFORE_VALUES.exec(message.slice(from));
  if (values === null || (call === null && values.index > 0)) return message;
  return `${message.slice(0, from + values.index)}${values[0]}[left out by keyplane]`;
}

if (process.env[KEEP] !== "true") rewriteDebug(withoutValues);
