import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./source-files";

test("everything that users can import is documented down to each property, and every link in the reference works", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyplane-reference-"));
  try {
    const typedoc = join(root, "node_modules", "typedoc", "bin", "typedoc");
    const args = [typedoc, "--json", join(folder, "reference.json")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    expect(status, stdout + stderr).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
