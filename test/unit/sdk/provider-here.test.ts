import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folderWith } from "../cli/support";

const root = resolve(__dirname, "../../..");

/** Declares a resource in a program that loads the package from `from`, and returns the code and message of its error. */
async function declare(folder: string, from: string): Promise<string> {
  const program = `
    const { ProjectReady } = require(${JSON.stringify(from)});
    process.chdir("/");
    try { new ProjectReady("ready", { projectId: "p" }) } catch (error) { console.log(error.code, error.message) }
    process.exit();`;
  // Without an engine, Pulumi's SDK fails later.
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], { cwd: folder }).catch(
    (failure: { readonly stdout: string }) => failure,
  );
  return stdout;
}

test("a program whose folder has keyplane only inside a library is told which package.json must list it", async () => {
  const folder = await folderWith({ "package.json": {}, "src/.keep": "", "node_modules/.keep": "" });
  const said = await declare(join(folder, "src"), root);
  expect(said).toMatch(/^KP-NOT-INSTALLED /);
  expect(said).toContain(`${join(folder, "package.json")}, add "keyplane": "`);
  await symlink(root, join(folder, "node_modules/keyplane"));
  expect(await declare(join(folder, "src"), "keyplane")).not.toContain("KP-NOT-INSTALLED");
});
