/**
 * Loaded into the program before everything else. Works around a bug in some releases of Node, such as 20.20.2:
 * `util.inspect` with colors never returns if a stack line ends in a file directly below a scope, such as
 * `node_modules/@pulumi/output.ts`. Pulumi's source maps use such names, and its runtime inspects every error of a
 * program. Without this guard, the program would hang instead of failing.
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
