import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig, type Project } from "../command/config";
import type { Checkpoint, ExportedStack } from "../state/checkpoint";
import { isSecret, mapSecrets, revealed, secretOf } from "../state/property";
import { IncorrectPassphraseError, PassphraseSecrets, passphraseOf } from "../state/secrets";

const real = join(__dirname, "../../../test/conformance/checkpoint");
const state = JSON.parse(readFileSync(join(real, "dev.json"), "utf8")) as Checkpoint;
const exported = JSON.parse(readFileSync(join(real, "stack-export.json"), "utf8")) as ExportedStack;
const salt = state.checkpoint.latest?.secrets_providers?.state?.salt ?? "";

// Deriving the key once takes about 0.4 s.
const opening = PassphraseSecrets.open("pw", salt);

describe("the passphrase secrets provider", () => {
  test("reads the secrets of a checkpoint written by the CLI", async () => {
    const { resources = [] } = (await opening).openDeployment(exported.deployment);
    const probe = resources.find((resource) => resource.urn.endsWith("Probe::a"));
    expect(revealed(probe?.inputs ?? {})).toMatchObject({ label: "a", v: "hush", w: 1 });
    expect(revealed(probe?.outputs ?? {})).toMatchObject({ secretOut: "secret-of-a-1" });
    expect(revealed(resources[0]?.outputs ?? {})).toMatchObject({ plain: 'b:"a:\\"hush\\""' });
  });

  test("reads the secret configuration written by the CLI", async () => {
    const project: Project = {
      name: "proj",
      root: real,
      directory: real,
      entry: ".",
      runtimeOptions: {},
      config: {},
      requiredConfig: [],
      plugins: [],
      stackConfigDirectory: real,
    };
    expect(await loadConfig(project, "dev", await opening)).toEqual({
      values: { "probe:plain": "shown", "probe:token": "hidden-token" },
      secretKeys: ["probe:token"],
    });
  });

  test("encrypts all secrets of a deployment, and decrypts them to the same deployment", async () => {
    const secrets = await opening;
    const open = secrets.openDeployment(exported.deployment);
    const sealed = secrets.sealDeployment(open);
    expect(JSON.stringify(sealed)).not.toMatch(/plaintext|secret-of|hidden-token/);
    expect(secrets.openDeployment(sealed)).toEqual(open);
    expect(sealed.secrets_providers).toEqual(exported.deployment.secrets_providers);
  });

  test("never encrypts a text to the same ciphertext twice", async () => {
    const secrets = await opening;
    expect(secrets.encrypt("text")).not.toBe(secrets.encrypt("text"));
  });

  test("refuses another passphrase with a message that names the variable and not the passphrase", async () => {
    const wrong = PassphraseSecrets.open("not-the-passphrase", salt);
    await expect(wrong).rejects.toThrow(IncorrectPassphraseError);
    await expect(wrong).rejects.toThrow(/^incorrect passphrase: PULUMI_CONFIG_PASSPHRASE (?!.*not-the-passphrase)/);
  });

  test("detects a changed ciphertext", async () => {
    const secrets = await opening;
    const [version, nonce, sealed = ""] = secrets.encrypt("a secret").split(":");
    const bytes = Buffer.from(sealed, "base64");
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
    expect(() => secrets.decrypt([version, nonce, bytes.toString("base64")].join(":"))).toThrow("cannot be decrypted");
    expect(() => secrets.decrypt("v1:AAAA")).toThrow("cannot be decrypted");
  });

  test("creates a salt for a new stack that the passphrase can open again", async () => {
    const made = await PassphraseSecrets.create("");
    const again = await PassphraseSecrets.open("", made.salt);
    expect(again.decrypt(made.encrypt("text ✓"))).toBe("text ✓");
  });

  test("accepts an empty passphrase, and refuses a missing one", () => {
    expect(passphraseOf({ PULUMI_CONFIG_PASSPHRASE: "" })).toBe("");
    expect(() => passphraseOf({})).toThrow("set PULUMI_CONFIG_PASSPHRASE");
  });
});

describe("secret values", () => {
  test("are not nested if they are marked again", () => {
    const secret = secretOf({ a: 1 });
    expect(secretOf(secret)).toBe(secret);
    expect(revealed([secret, "plain"])).toEqual([{ a: 1 }, "plain"]);
  });

  test("are found at any depth", () => {
    const replaced = mapSecrets({ a: [{ b: secretOf("x") }], c: null }, () => "[secret]");
    expect(replaced).toEqual({ a: [{ b: "[secret]" }], c: null });
    expect(isSecret(replaced)).toBe(false);
  });
});
