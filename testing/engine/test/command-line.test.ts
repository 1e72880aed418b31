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

test("config prints the stack's configuration, decrypted with the passphrase", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keyplane-config-"));
  try {
    const secrets = await PassphraseSecrets.create("right");
    writeFileSync(join(folder, "Pulumi.yaml"), "name: proj\nruntime: nodejs\nconfig: { region: eu }\n");
    const secure = secrets.encrypt("kp_verysecret");
    const config = `encryptionsalt: ${secrets.salt}\nconfig: { keyplane:apiKey: { secure: "${secure}" } }\n`;
    writeFileSync(join(folder, "Pulumi.dev.yaml"), config);
    const print = (passphrase: string, ...flags: string[]) => {
      const env = { ...process.env, PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: passphrase };
      const args = [compiledModule("engine", "main.js"), "config", ...flags, "--stack", "dev", "--non-interactive"];
      return spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
    };
    const whole = ["--json", "--show-secrets"];
    expect(JSON.parse(print("right", ...whole).stdout)).toEqual({
      "proj:region": { value: "eu", secret: false },
      "keyplane:apiKey": { value: "kp_verysecret", secret: true },
    });
    expect(print("right")).toMatchObject({ status: 255, stdout: "" });
    const wrong = { status: 255, stdout: "", stderr: expect.stringContaining("incorrect passphrase") };
    expect(print("wrong", ...whole)).toMatchObject(wrong);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
