import { createRequire } from "node:module";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);

// The compiled package, loaded by its name as a user's program does. A name that goes away breaks somebody.
test("a program can import these names, and no others", () => {
  expect(Object.keys(require("keyplane")).sort()).toMatchInlineSnapshot();
});

test("a state's shim lines find these names for ever", () => {
  expect(Object.keys(require("keyplane/provider")).sort()).toMatchInlineSnapshot();
});

test("tests of programs can import these names, and no others", () => {
  expect(Object.keys(require("keyplane/testing")).sort()).toMatchInlineSnapshot(`
    [
      "connectControlPlane",
      "startControlPlane",
    ]
  `);
});
