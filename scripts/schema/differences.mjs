// Where the plugin differs from the npm package, whose doc comments describe the fields.

/** Inputs and settings that the plugin does not have, with the reason. */
export const LEFT_OUT = {
  account: "an explicit provider takes its place",
  accounts: "an explicit provider takes its place",
  "ApiKeyArgs.adopt": "it is refused in every case",
};

/** Outputs for the ledger, which the plugin does not have. */
export const INTERNAL_OUTPUTS = ["pendingRevocations", "lostNames"];

/** Inputs that the outputs do not repeat, because another output contains their secret. */
export const WRITE_ONLY = ["adopt"];

/** Properties that are secret as a whole. */
export const SECRETS = ["key", "previousKey", "adopt", "apiKey", "importKeys"];

/** Properties with such a name that are no secret. */
export const PUBLIC = ["GitHubActionsKey.key"];

/** Numbers that can exceed the 32 bits that an integer has in C# and Java. */
export const WIDE_NUMBERS = ["cpuUsedSec"];

/** Inputs that only the plugin has. As soon as a doc comment describes one, it must go from here. */
export const PLUGIN_ONLY = {
  RotatingApiKey: {
    retirement: {
      schema: { type: "string" },
      text:
        'How a key that `revokeNow` names is revoked. With "replace", the resource is replaced by one that continues ' +
        "its state, and the deletion of the old one revokes the key. Pulumi deletes it only after everything else in " +
        'the run has succeeded. With "inPlace", an update revokes the key, even if a consumer fails later in the same ' +
        "run. A protected resource needs this, because it cannot be replaced. Used by keyplane as a plugin only.",
      choices: ["replace", "inPlace"],
      defaultsTo: '"replace"',
    },
  },
  settings: {
    importKeys: {
      schema: { type: "object", additionalProperties: { type: "string" } },
      text:
        "The secrets of keys to import, by key id. `pulumi import` needs the secret of each key, because the service " +
        "does not show it. Used only during an import: remove this setting afterwards.",
    },
  },
};

/** Texts that replace those of a doc comment or of docs/configuration.md. */
export const TEXTS = {
  "ApiKeyArgs.name": { defaultsTo: "an auto-name, `<namePrefix>-<owner's tag>-<resource's tag>-<nonce>`" },
  "ApiKeyArgs.namePrefix": {
    text:
      "The beginning of the generated name: at most 37 of `a-z`, `0-9` and `-`. A change replaces the key. Not with " +
      "`name`.",
  },
  "ApiKeyArgs.verify": { defaultsTo: "false; always true if `revokeOnDelete` is false" },
  "ApiKeyArgs.revokeOnDelete": {
    text:
      "Whether a deleted or replaced key is revoked. If false, a key that became ready is left active. Set this to " +
      "false together with the resource option `retainOnDelete`, which a plugin is not told of.",
  },
  "RotatingApiKeyArgs.namePrefix": {
    text: "The beginning of the generated names: at most 37 of `a-z`, `0-9` and `-`. A change applies to the next key.",
  },
  "RotatingApiKeyArgs.verify": { defaultsTo: "false; always true if `revokeOnDelete` is false" },
  "RotatingApiKeyArgs.revokeOnDelete": {
    text:
      "Whether the keys are revoked when the resource is deleted. A rotation always revokes the old key. Set this to " +
      "false together with the resource option `retainOnDelete`, which a plugin is not told of.",
  },
  getOperations: {
    text: "The operations of a project that match the filters, newest first. Use `limit` if there are very many.",
  },
  waitForOperations: {
    text:
      "Waits until operations of a project have ended. Fails if one of them fails, or if the wait times out. For " +
      "resources that depend on a project, use `ProjectReady` instead. A preview does not wait: it returns an empty " +
      "list at once.",
  },
  "settings.confirmAccount": {
    text:
      "Fingerprints of accounts and addresses that you confirm, separated by commas. The message of " +
      "`KP-WRONG-ACCOUNT` shows the fingerprint. Those in the environment variable `KEYPLANE_CONFIRM_ACCOUNT` count, " +
      "too. Remove this setting after the run.",
  },
};
