import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compiledModule } from "../package-root";

const run = (...args: string[]) =>
  spawnSync(process.execPath, [compiledModule("engine", "main.js"), ...args], { encoding: "utf8" });

test.each([["--help"], ["help"], ["-h"], ["up", "--help"]])(
  "%s prints the commands and does nothing else",
  (...args) => {
    const { status, stdout } = run(...args);
    expect([status, stdout]).toEqual([0, expect.stringContaining("Usage: keyplane-engine COMMAND")]);
  },
);

test("a command line without a command prints the commands and fails", () => {
  expect(run()).toMatchObject({ status: 255, stdout: expect.stringContaining("Usage:") });
});

test.each([["--version"], ["version"]])("%s prints the version of the package", (arg) => {
  expect(run(arg)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test("config get prints a value of the stack's configuration, decrypted with the passphrase", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyplane-config-"));
  try {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: proj\nruntime: nodejs\n");
    const env = { ...process.env, PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: "right" };
    const config = (words: readonly string[], more: NodeJS.ProcessEnv = {}) => {
      const options = { cwd: folder, env: { ...env, ...more }, encoding: "utf8" } as const;
      const args = [compiledModule("engine", "main.js"), "config", ...words, "--stack", "dev", "--non-interactive"];
      return spawnSync(process.execPath, args, options);
    };
    config(["set", "--secret", "keyplane:apiKey", "kp_verysecret"]);
    expect(config(["get", "keyplane:apiKey"])).toMatchObject({ status: 0, stdout: "kp_verysecret\n" });
    expect(config(["get", "nothing"])).toMatchObject({ status: 255, stdout: "" });
    const wrong = config(["get", "keyplane:apiKey"], { PULUMI_CONFIG_PASSPHRASE: "wrong" });
    expect(wrong).toMatchObject({ status: 255, stdout: "", stderr: expect.stringContaining("incorrect passphrase") });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
