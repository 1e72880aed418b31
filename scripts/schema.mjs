// Generates provider/plugin/schema.json, which describes the plugin to all Pulumi languages, and from it the SDK for Node
// in sdk/plugin: `npm run build:schema`. Needs the build.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { renderNodeSdk } from "./schema/node-sdk.mjs";
import { renderSchema } from "./schema/render.mjs";

const require = createRequire(import.meta.url);
const { resourceTypes } = require("../dist/provider/resources/all");
const { SETTINGS } = require("../dist/provider/settings/settings");

const target = new URL("../provider/plugin/schema.json", import.meta.url);
const schema = renderSchema({ resourceTypes, settings: SETTINGS });
writeFileSync(target, schema);
for (const [name, text] of Object.entries(renderNodeSdk(JSON.parse(schema)))) {
  writeFileSync(new URL(`../sdk/plugin/${name}`, import.meta.url), text);
}
