import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "./source-files";

test("the package contains everything that users need, and every kind of program can import it with its types", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/check-package.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status, stdout + stderr).toBe(0);
});
