// The resources of the provider plugin for programs of tests, as an SDK that is generated from its schema has them. A
// program names the outputs that it reads.
const pulumi = require("@pulumi/pulumi");
// Pulumi's SDK writes secrets into debug messages. No plugin can prevent that, and the tests search for its own secrets.
require("../../dist/sdk/nodejs/run/hide-debug-values");

const KEY = {
  ...{ keyId: undefined, name: undefined, createdAt: undefined },
  ...{ key: undefined, sealedKey: undefined, digest: undefined },
};

class ApiKey extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("keyplane:index:ApiKey", name, { ...KEY, ...args }, options);
  }
}

class RotatingApiKey extends pulumi.CustomResource {
  constructor(name, args, options) {
    const previous = { previousKeyId: undefined, previousKey: undefined, previousSealedKey: undefined };
    super("keyplane:index:RotatingApiKey", name, { ...KEY, ...previous, retireAfter: undefined, ...args }, options);
  }
}

class ProjectReady extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("keyplane:index:ProjectReady", name, args, options);
  }
}

class Provider extends pulumi.ProviderResource {
  constructor(name, args, options) {
    super("keyplane", name, args, options);
  }
}

module.exports = { ApiKey, RotatingApiKey, ProjectReady, Provider };
