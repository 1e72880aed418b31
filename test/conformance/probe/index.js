// What a conformance program imports: a resource with a logging provider, a component, and Pulumi itself.
const pulumi = require("@pulumi/pulumi");

const PROVIDER = 'exports.handler = () => require("probe/provider").Probe';

/** A custom resource of Pulumi's dynamic provider. The code of the provider is in `probe/provider`. */
class Probe extends pulumi.CustomResource {
  constructor(name, args, opts = {}) {
    const inputs = { __provider: PROVIDER, label: name, ...args, out: undefined, secretOut: undefined };
    const additionalSecretOutputs = [...(opts.additionalSecretOutputs ?? []), "secretOut"];
    super("pulumi-nodejs:dynamic/probe:Probe", name, inputs, { ...opts, additionalSecretOutputs });
  }
}

/** A component. */
class Group extends pulumi.ComponentResource {
  constructor(name, args, opts) {
    super("probe:Group", name, args, opts);
    this.registerOutputs();
  }
}

module.exports = { Probe, Group, pulumi };
