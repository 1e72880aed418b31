// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.

/** What Pulumi needs to find the plugin. */
export const PACKAGE = {
  name: "keyplane",
  version: "0.2.0",
};
