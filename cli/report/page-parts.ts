import { readFileSync } from "node:fs";
import { join } from "node:path";
import { STYLE } from "./page-style";

export type PageParts = ReturnType<typeof readPageParts>;

/** The modules of the script, as they import each other. The last one starts it. */
const MODULES = {
  "../../../provider/duration": "../../provider/duration.js",
  "../../../provider/get-or-create": "../../provider/get-or-create.js",
  "./elements": "page/elements.js",
  "./timeline": "page/timeline.js",
  "./rows": "page/rows.js",
  "./table": "page/table.js",
} as const;

/**
 * Reads the parts of the page. The script consists of compiled modules of this package, because a page without outside
 * resources cannot load them.
 * @param folder - Where this folder is in compiled form.
 */
export function readPageParts(folder = __dirname) {
  const modules = Object.entries(MODULES).map(([name, file]) => {
    return `${JSON.stringify(name)}: (exports, require) => {\n${readFileSync(join(folder, file), "utf8")}}`;
  });
  const script = `"use strict";
(() => {
const modules = {
${modules.join(",\n")}
};
const loaded = new Map();
const load = (name) => {
  if (!loaded.has(name)) {
    loaded.set(name, {});
    modules[name](loaded.get(name), load);
  }
  return loaded.get(name);
};
load("./table");
})();`;
  return { style: STYLE, script };
}
