import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openCredentials } from "../../../cli/doctor/stack";
import type { StackConfig } from "../../../cli/doctor/stack-config";
import { pulumiIn, readStackName, shownStack } from "../../../cli/state/pulumi-stack";
import { harmless } from "../../../cli/terminal";
import { UsageError } from "../../../cli/usage-error";
import { folderWith } from "./support";

afterEach(() => vi.unstubAllEnvs());

/** A Pulumi CLI that prints what this expression gives. */
async function pulumi(expression: string): Promise<void> {
  const folder = await folderWith({ "pulumi.js": `console.log(${expression});` });
  vi.stubEnv("KEYPLANE_PULUMI", join(folder, "pulumi.js"));
}

test.each([["--show-secrets"], ["-s"], ["-C"], ["dev id"], ["a/b/c/d"], [""], ["x".repeat(101)]])(
  "the name %j of a stack is refused, and not repeated",
  (name) => {
    expect(() => readStackName(name)).toThrow(UsageError);
    if (name.length > 2) expect(() => readStackName(name)).not.toThrow(name);
  },
);

test("the name of a stack may contain the organization and the project", () => {
  expect(readStackName("acme/shop/prod-1.eu_2")).toBe("acme/shop/prod-1.eu_2");
  expect(readStackName("dev")).toBe("dev");
});

test("a message does not repeat a name that can be a secret in the wrong place", () => {
  expect(shownStack(readStackName("acme/prod"))).toBe("stack acme/prod");
  expect(shownStack(readStackName("acme/kp_0123456789abcdef"), 3)).toBe("stack 3");
});

test("the Pulumi CLI gets the environment without keyplane's settings", async () => {
  vi.stubEnv("KEYPLANE_API_KEY", "kp_0123456789");
  vi.stubEnv("PULUMI_ACCESS_TOKEN", "pul-token");
  await pulumi("Object.keys(process.env).filter((name) => /^(KEYPLANE_|PULUMI_ACC)/.test(name)).join()");
  expect(await pulumiIn().secret("x", "dev")).toBe("PULUMI_ACCESS_TOKEN");
});

describe("the credentials of a stack", () => {
  const config: StackConfig = {
    stack: "dev",
    hasFile: true,
    hasEnvironments: false,
    settings: new Map(["apiKey", "baseUrl"].map((name) => [name, { file: "Pulumi.dev.yaml", isSecret: true }])),
    accountsInClear: [],
  };
  const passphrases = { PULUMI_CONFIG_PASSPHRASE: undefined, PULUMI_CONFIG_PASSPHRASE_FILE: undefined };

  test("are decrypted if the user names the stack or gives its passphrase, and nothing else is", async () => {
    await pulumi('"kp_" + process.argv[4].replace(":", "_")');
    for (const [isNamed, env] of [
      [true, passphrases],
      [false, { ...passphrases, PULUMI_CONFIG_PASSPHRASE: "" }],
      [false, { ...passphrases, PULUMI_CONFIG_PASSPHRASE_FILE: "passphrase.txt" }],
    ] as const) {
      const { settings } = await openCredentials(config, { isNamed, folder: __dirname, env });
      const texts = Array.from(settings, ([name, { text, isSecret }]) => [name, text, isSecret]);
      expect(texts).toEqual([
        ["apiKey", "kp_keyplane_apiKey", true],
        ["baseUrl", undefined, true],
      ]);
    }
    expect(await openCredentials(config, { isNamed: false, folder: __dirname, env: passphrases })).toBe(config);
  });

  test("are in no later output", async () => {
    await pulumi('"kp_decrypted_4711"');
    await openCredentials(config, { isNamed: true, folder: __dirname, env: passphrases });
    expect(harmless("at https://host/kp_decrypted_4711")).toBe("at https://host/[secret]");
  });
});
