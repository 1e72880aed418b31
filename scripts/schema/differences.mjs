// Where the plugin differs from the npm package, whose doc comments describe the fields.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { SECRET_VALUES } = require("../../dist/provider/outputs");
const { SECRET_SETTINGS } = require("../../dist/provider/settings/setting-names");

/** Inputs and settings that the plugin does not have, with the reason. */
export const LEFT_OUT = {
  account: "an explicit provider takes its place",
  accounts: "an explicit provider takes its place",
  "ApiKeyArgs.adopt": "it is refused in every case",
};

/** Inputs that the outputs do not repeat, because another output contains their secret. */
export const WRITE_ONLY = ["adopt"];

/** Properties that are secret as a whole. */
export const SECRETS = [...SECRET_VALUES, ...SECRET_SETTINGS];

/** Properties with such a name that are no secret. */
export const PUBLIC = ["GitHubActionsKey.key"];

/** Numbers that can exceed the 32 bits that an integer has in C# and Java. */
export const WIDE_NUMBERS = ["cpuUsedSec"];

/** Settings that only the plugin has. */
export const PLUGIN_SETTINGS = {
  importKeys: {
    schema: { type: "object", additionalProperties: { type: "string" } },
    text:
      "The secrets of keys to import, by key id. `pulumi import` needs the secret of each key, because the service " +
      "does not show it. Used only during an import: remove this setting afterwards.",
  },
};

/** Texts that replace those of a doc comment or of docs/configuration.md. */
export const TEXTS = {
  getOperations: {
    text: "The operations of a project that match the filters, newest first. Use `limit` if there are very many.",
  },
  waitForOperations: {
    text:
      "Waits until operations of a project have ended. Fails if one of them fails, or if the wait times out. For " +
      "resources that depend on a project, use `ProjectReady` instead. A preview does not wait: it returns an empty " +
      "list at once.",
  },
};
