import { expect, test } from "vitest";

const { warningsIn } = await import(new URL("../../../scripts/release/sdks.mjs", import.meta.url).href);

test("a warning of a Python build is a flaw, except that Python was told not to compile", () => {
  const said = `  warning: build_py: byte-compiling is disabled, skipping.
  copying pulumi_keyplane/provider.py
  config/expand.py:126: BuildBackendWarning: File 'README.md' cannot be found
  DEPRECATION: building by another way`;
  expect(warningsIn(said)).toEqual([
    "config/expand.py:126: BuildBackendWarning: File 'README.md' cannot be found",
    "DEPRECATION: building by another way",
  ]);
});
