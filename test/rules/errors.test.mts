import { expect, test } from "vitest";
import { ERRORS } from "../../provider/errors/index.js";
import { sourcesBelow, textOf } from "./source-files.js";

const { renderErrors } = await import(new URL("../../scripts/errors/render.mjs", import.meta.url).href);

test("docs/errors.md is generated from the definitions of errors (after a change, run `npm run docs:errors`)", () => {
  expect(textOf("docs/errors.md")).toBe(renderErrors(ERRORS));
});

test("every error code in the sources is defined, and every defined code is used", () => {
  const files = sourcesBelow("provider", "sdk/nodejs", "cli").filter(
    (path) => path !== "provider/errors/error-pages.ts",
  );
  const used = new Set(files.flatMap((path) => [...textOf(path).matchAll(/"(KP-[A-Z-]+)"/g)].map(([, code]) => code)));
  expect([...used].sort()).toEqual(Object.keys(ERRORS).sort());
});
