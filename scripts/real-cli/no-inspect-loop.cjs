// Preloaded into programs: in Node 20.20, `util.inspect` with colours takes a minute and gigabytes for an error whose
// stack has lines of Pulumi's SDK (nodejs/node#64011), so each program that throws would.
const util = require("node:util");
const inspect = util.inspect;
const wrapped = (value, options, ...rest) =>
  inspect(value, value instanceof Error && options?.colors ? { ...options, colors: false } : options, ...rest);
util.inspect = Object.assign(wrapped, inspect);
