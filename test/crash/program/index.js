// The program of the crash tests. CRASH_PROGRAM is the JSON of the keys that it declares, by name, with their consumers.
const { ApiKey, RotatingApiKey } = require(process.env.CRASH_FRONT_END === "plugin" ? "plugin-sdk" : "keyplane");
const pulumi = require("@pulumi/pulumi");
const { Consumer } = require("consumer");

for (const [name, { rotating, consumer, adopt, ...args }] of Object.entries(JSON.parse(process.env.CRASH_PROGRAM))) {
  if (adopt) args.adopt = { ...adopt, key: pulumi.secret(adopt.key) };
  const key = rotating ? new RotatingApiKey(name, args) : new ApiKey(name, args);
  const secret = args.sealTo ? key.sealedKey : key.key;
  if (consumer) new Consumer(`${name}-consumer`, { keyId: key.keyId, secret, use: consumer === "uses" });
}
