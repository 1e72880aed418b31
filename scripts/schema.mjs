// Generates provider/plugin/schema.json, which describes the plugin to all Pulumi languages: `npm run build:schema`. Needs
// the build.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { renderSchema } from "./schema/render.mjs";

const require = createRequire(import.meta.url);
const { resourceTypes } = require("../dist/provider/resources/all");
const { SETTINGS } = require("../dist/provider/settings/settings");

const target = new URL("../provider/plugin/schema.json", import.meta.url);
writeFileSync(target, renderSchema({ resourceTypes, settings: SETTINGS }));
