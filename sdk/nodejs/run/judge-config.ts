import * as pulumi from "@pulumi/pulumi";
import { SECRET_SETTINGS, SETTING_NAMES } from "../../../provider/settings/names";
import { isConfigSecret, isMocked } from "./pulumi-internals";

/** The runs whose configuration was judged. The inline programs of the Automation API share a process. */
const judged = new WeakSet<object>();

/** What is judged. The names are not if it is only secrets: the plugin refuses wrong ones. */
type Only = { readonly secrets?: boolean };

/**
 * Warns once per run about settings whose name is wrong, and about secrets that the stack's file contains in plain text.
 * Only a program sees both: Pulumi gives a provider decrypted values, and the dynamic host only those that it asks for.
 */
export function judgeConfig(only: Only = {}): void {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined || judged.has(stack) || isMocked()) return;
  judged.add(stack);
  const warnings = configWarnings(pulumi.runtime.allConfig(), isConfigSecret, only);
  for (const warning of warnings) void pulumi.log.warn(warning);
}

/**
 * What is wrong with the configuration of a stack, in words.
 * @param isSecret - Whether a key has a secret; `undefined` if nobody knows.
 */
export function configWarnings(
  config: Readonly<Record<string, string>>,
  isSecret: (key: string) => boolean | undefined,
  only: Only = {},
): readonly string[] {
  const names = Object.keys(config).flatMap((key) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : []));
  const wrong = only.secrets ? [] : names.filter((name) => !SETTING_NAMES.some((known) => known === name));
  const plain = SECRET_SETTINGS.filter((name) => config[PREFIX + name] && isSecret(PREFIX + name) === false);
  return [...wrong.flatMap(nameWarning), ...plain.map((name) => PLAIN[name])];
}

const PREFIX = "keyplane:";

function nameWarning(name: string): string[] {
  // Loaded on demand, because nearly all names are right. Jest has no `import()`.
  const { didYouMean } = require("../../../provider/nearest") as typeof import("../../../provider/nearest");
  const { maskKeyLike } = require("../../../provider/secrets") as typeof import("../../../provider/secrets");
  const { toMessage } = require("../../../provider/text") as typeof import("../../../provider/text");
  const hint = didYouMean(name, SETTING_NAMES);
  // The project's own settings have its name as their prefix.
  if (hint === "" && pulumi.getProject() === "keyplane") return [];
  return [toMessage(`${PREFIX}${maskKeyLike(name)} is not a setting and has no effect${hint}`)];
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
