import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compiledModule } from "../package-root";
import { PassphraseSecrets } from "../state/secrets";

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

test("config get prints a value of the stack's configuration, decrypted with the passphrase", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keyplane-config-"));
  try {
    const secrets = await PassphraseSecrets.create("right");
    writeFileSync(join(folder, "Pulumi.yaml"), "name: proj\nruntime: nodejs\n");
    const secure = secrets.encrypt("kp_verysecret");
    const config = `encryptionsalt: ${secrets.salt}\nconfig: { keyplane:apiKey: { secure: "${secure}" } }\n`;
    writeFileSync(join(folder, "Pulumi.dev.yaml"), config);
    const get = (name: string, passphrase = "right") => {
      const env = { ...process.env, PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: passphrase };
      const args = [compiledModule("engine", "main.js"), "config", "get", name, "--stack", "dev", "--non-interactive"];
      return spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
    };
    expect(get("keyplane:apiKey")).toMatchObject({ status: 0, stdout: "kp_verysecret\n" });
    expect(get("nothing")).toMatchObject({ status: 255, stdout: "" });
    const wrong = { status: 255, stdout: "", stderr: expect.stringContaining("incorrect passphrase") };
    expect(get("keyplane:apiKey", "wrong")).toMatchObject(wrong);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
