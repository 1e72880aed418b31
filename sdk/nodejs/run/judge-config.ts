import * as pulumi from "@pulumi/pulumi";
import { SECRET_SETTINGS, SETTING_NAMES } from "../../../provider/settings/setting-names";
import { isConfigSecret, isMocked } from "./pulumi-internals";

/** The runs whose configuration was judged. The inline programs of the Automation API share a process. */
const judged = new WeakSet<object>();

/**
 * Warns once per run about settings whose name is wrong, and about secrets that the stack's file contains in plain text.
 * Only a program sees both: Pulumi gives a provider decrypted values, and the dynamic host only those that it asks for.
 */
export function judgeConfig(): void {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined || judged.has(stack) || isMocked()) return;
  judged.add(stack);
  const config = pulumi.runtime.allConfig();
  const names = misnamed(config);
  for (const warning of plainTextWarnings(config, isConfigSecret)) void pulumi.log.warn(warning);
  if (names.length === 0) return;
  // Loaded on demand, because nearly all names are right. Jest has no `import()`.
  const { nameWarning } = require("./name-warning") as typeof import("./name-warning");
  for (const name of names) for (const warning of nameWarning(name)) void pulumi.log.warn(warning);
}

const PREFIX = "keyplane:";

/** The names in keyplane's part of the configuration that are no settings. */
export function misnamed(config: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(config).flatMap((key) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : []));
  return names.filter((name) => !SETTING_NAMES.some((known) => known === name));
}

/**
 * Warnings about secrets in plain text.
 * @param isSecret - Whether a key has a secret; `undefined` if nobody knows.
 */
export function plainTextWarnings(
  config: Readonly<Record<string, string>>,
  isSecret: (key: string) => boolean | undefined,
): readonly string[] {
  const plain = SECRET_SETTINGS.filter((name) => config[PREFIX + name] && isSecret(PREFIX + name) === false);
  return plain.map((name) => PLAIN[name]);
}

const IN_PLAIN_TEXT = "is in plain text in the configuration of this stack";

const PLAIN = {
  apiKey:
    `keyplane:apiKey ${IN_PLAIN_TEXT}. Create a new key, run ` +
    "`pulumi config set --secret keyplane:apiKey`, and revoke this one",
  accounts:
    `The API key of each account in keyplane:accounts ${IN_PLAIN_TEXT}. Create new keys, run ` +
    "`pulumi config set --path --secret 'keyplane:accounts.NAME.apiKey'` for each account, and revoke these",
  importKeys:
    `keyplane:importKeys ${IN_PLAIN_TEXT}. Run ` +
    "`pulumi config set --path --secret 'keyplane:importKeys[\"ID\"]'` for each key",
} as const satisfies Readonly<Record<(typeof SECRET_SETTINGS)[number], string>>;
