/**
 * Loaded into the program before anything else. Some releases of Node, 20.20.2 among them, never return from
 * `util.inspect` with colours when a line of the stack ends in a file right below a scope, such as
 * `node_modules/@pulumi/output.ts` - and that is how Pulumi's source maps name its files. Pulumi's runtime inspects each
 * error of a program this way, so that the program would hang instead of failing.
 */
import util = require("node:util");

const ENDLESS = /[\\/]node_modules[\\/]@[^\\/\n]+[\\/][^\\/\n]*$/m;

const inspect = util.inspect;

function isEndless(value: unknown, depth = 0): boolean {
  if (!(value instanceof Error) || depth > 10) return false;
  return ENDLESS.test(String(value.stack)) || isEndless(value.cause, depth + 1);
}

function guarded(value: unknown, options?: util.InspectOptions): string {
  return inspect(value, options?.colors && isEndless(value) ? { ...options, colors: false } : options);
}

util.inspect = Object.assign(guarded, inspect) as typeof inspect;
