import { messageOf } from "../../provider/errors";
import { SECRET_SETTINGS } from "../../provider/settings/setting-names";
import { resolveSettings, SETTINGS, type Settings } from "../../provider/settings/settings";
import type { ConfigValue } from "../../provider/stack/pulumi";
import { accountNames } from "../account";
import type { Explanation } from "../state/pulumi-stack";
import { type Finding, fail, ok } from "./finding";

/** keyplane's settings in the configuration of a stack, by their names without `keyplane:`. */
export interface StackConfig {
  readonly settings: ReadonlyMap<string, ConfigValue>;
  /** Why the Pulumi CLI could not read it, and so a run could not, either. */
  readonly unread?: Explanation;
}

const NEW_KEY = "Create a new key, and set it with `pulumi config set --secret`. Revoke this one.";

/** The check that fails if a secret setting is in plain text, and what to do. */
const IN_PLAIN_TEXT = {
  apiKey: ["credential", NEW_KEY],
  accounts: ["accounts", NEW_KEY],
  importKeys: [
    "import-keys",
    "Set it again with `pulumi config set --path --secret`. Rotate the keys after the import.",
  ],
} as const satisfies Readonly<Record<(typeof SECRET_SETTINGS)[number], readonly string[]>>;

/**
 * Checks the settings of the stack's configuration and the environment, without sending anything. Returns those of all
 * accounts, if they can be tested.
 */
export function checkSettings(
  { settings, unread }: StackConfig,
  { isNamed }: { readonly isNamed: boolean },
): { readonly findings: readonly Finding[]; readonly accounts: readonly Settings[] } {
  const config = (name: string) => settings.get(name)?.text;
  const findings: Finding[] = [];
  const accounts: Settings[] = [];
  for (const name of SECRET_SETTINGS) {
    if (settings.get(name)?.isSecret !== false) continue;
    const [check, remedy] = IN_PLAIN_TEXT[name];
    findings.push(fail(check, `the configuration of the stack contains keyplane:${name} in plain text`, remedy));
  }
  const needed = ["baseUrl", "apiKey"] as const;
  const isMissing = needed.some((name) => !config(name) && !process.env[SETTINGS[name].env]);
  // Who names a stack wants to know. Otherwise the environment can have everything.
  if (unread !== undefined && (isMissing || (isNamed && unread.problem !== "not found"))) {
    const says = `the configuration of the stack was not read: ${unread.why}`;
    const untested = isMissing ? ", and the environment lacks settings, so the service was not tested" : "";
    findings.push(
      fail(
        "config",
        says + untested,
        `${unread.remedy}, or set ${needed.map((name) => SETTINGS[name].env).join(" and ")}.`,
      ),
    );
    if (isMissing) return { findings, accounts };
  }
  try {
    const names = [undefined, ...accountNames(config)];
    accounts.push(...names.map((name) => resolveSettings(config, process.env, name)));
    findings.push(...accounts.slice(0, 1).map(({ baseUrl }) => ok("base-url", baseUrl)));
  } catch (error) {
    findings.push(fail("settings", messageOf(error), "Correct the setting, or unset it if it has a default."));
  }
  return { findings, accounts };
}
