// Generates docs/errors.md from the error definitions: `npm run docs:errors`. Needs the build.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { renderErrors } from "./errors/render.mjs";

const { ERRORS } = createRequire(import.meta.url)("../dist/provider/errors");
writeFileSync(new URL("../docs/errors.md", import.meta.url), renderErrors(ERRORS));
