// What a program imports: a consumer that receives a key and fails on demand.
const pulumi = require("@pulumi/pulumi");

const PROVIDER = 'exports.handler = () => require("consumer/provider").Consumer';

class Consumer extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("pulumi-nodejs:dynamic/consumer:Consumer", name, { __provider: PROVIDER, ...args }, options);
  }
}

module.exports = { Consumer };
