// preload: keep Pulumi from looping in Node's util.inspect (nodejs/node#64011)
const util = require("node:util");
const inspect = util.inspect;
const wrapped = (value, options, ...rest) =>
  inspect(value, value instanceof Error && options?.colors ? { ...options, colors: false } : options, ...rest);
util.inspect = Object.assign(wrapped, inspect);
