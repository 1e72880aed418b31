// What a crash test's program imports: a resource that is given a key.
const pulumi = require("@pulumi/pulumi");

const PROVIDER = 'exports.handler = () => require("consumer/provider").Consumer';

/** Holds a key from its creation to its deletion, or to the next one it is given. */
class Consumer extends pulumi.CustomResource {
  constructor(name, args) {
    const inputs = { __provider: PROVIDER, consumer: name, ...args };
    super("pulumi-nodejs:dynamic/consumer:Consumer", name, inputs, { additionalSecretOutputs: ["secret"] });
  }
}

module.exports = { Consumer };
