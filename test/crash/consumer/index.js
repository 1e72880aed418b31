// What the program of a crash test imports: a resource that receives a key.
const pulumi = require("@pulumi/pulumi");

const PROVIDER = 'exports.handler = () => require("consumer/provider").Consumer';

/** Holds a key from its creation until its deletion, or until it receives the next key. */
class Consumer extends pulumi.CustomResource {
  constructor(name, args) {
    const inputs = { __provider: PROVIDER, consumer: name, ...args };
    super("pulumi-nodejs:dynamic/consumer:Consumer", name, inputs, { additionalSecretOutputs: ["secret"] });
  }
}

module.exports = { Consumer };
