import { messageOf } from "../../provider/errors";
import { parseBaseUrl } from "../../provider/http";
import { SETTINGS, type Settings } from "../../provider/settings/settings";
import { accountSetting, shownAccount } from "../../provider/text";
import { type AccountFlags, accountNames, settingsOf } from "../account";
import { type Finding, fail, ok, warn } from "./finding";
import type { StackConfig } from "./stack-config";

/** The findings about the settings. Complete settings can be tested with the service. */
export interface SettingsCheck {
  readonly findings: readonly Finding[];
  readonly settings: Settings | undefined;
}

/** Checks the settings of the command line, the stack's configuration and the environment, without sending anything. */
export function checkSettings(
  flags: AccountFlags,
  stack: StackConfig | undefined,
  env: NodeJS.ProcessEnv = process.env,
): SettingsCheck {
  // A named account is a single setting, which is read as a whole.
  const ownAccount = flags.account ? [] : [checkBaseUrl(flags, stack, env), checkCredential(stack, env)];
  const findings = [...ownAccount, ...checkAccounts(stack)];
  const hidden = isHidden(flags, stack, env);
  if (hidden && flags.account !== undefined) findings.push(notTried(stack, flags.account));
  if (hidden || findings.some(({ verdict }) => verdict === "fail")) return { findings, settings: undefined };
  try {
    return { findings, settings: settingsOf({ ...flags, config: (name) => stack?.values.get(name) }, env) };
  } catch (error) {
    return {
      findings: [...findings, fail("settings", messageOf(error), "Correct it, or unset it to use the default.")],
      settings: undefined,
    };
  }
}

/** A named account whose key can be tested. */
export interface NamedAccount {
  readonly name: string;
  readonly settings: Settings;
}

/** Returns the named accounts that can be tested, and findings about the others. Sends nothing. */
export function checkNamedAccounts(
  flags: AccountFlags,
  stack: StackConfig | undefined,
  env: NodeJS.ProcessEnv = process.env,
): { readonly findings: readonly Finding[]; readonly accounts: readonly NamedAccount[] } {
  if (stack?.secrets.has("accounts") && !env[SETTINGS.accounts.env])
    return { findings: [notTried(stack)], accounts: [] };
  const config = (name: string) => stack?.values.get(name);
  try {
    const named = accountNames(env, config).map((name) => {
      return { name, settings: settingsOf({ ...flags, account: name, config }, env) };
    });
    return { findings: [], accounts: named };
  } catch (error) {
    return { findings: [fail("accounts", messageOf(error), "Correct it, or remove it.")], accounts: [] };
  }
}

function notTried(stack: StackConfig | undefined, account?: string): Finding {
  return warn(
    "accounts",
    `${stack?.file} has keyplane:accounts as a secret, ${unreadable(stack)}, so ` +
      `${account === undefined ? "its accounts were" : `the account ${shownAccount(account)} was`} not tested`,
    remedyOf(stack, SETTINGS.accounts.env),
  );
}

/** Why a secret of the stack cannot be read. */
const unreadable = (stack: StackConfig | undefined): string =>
  `which cannot be read here${stack?.sealed === undefined ? "" : ` (${stack.sealed.why})`}`;

/** What lets the service be tested with a secret of the stack. */
function remedyOf(stack: StackConfig | undefined, variable: string): string {
  if (stack?.sealed !== undefined) return `${stack.sealed.remedy}, or set ${variable}.`;
  return `To test it, pass --stack NAME or set PULUMI_CONFIG_PASSPHRASE, so that the Pulumi CLI decrypts it, or set ${variable}.`;
}

/** Whether the service cannot be tested because a required setting is a stack secret and set nowhere else. */
function isHidden({ account, baseUrl }: AccountFlags, stack: StackConfig | undefined, env: NodeJS.ProcessEnv): boolean {
  const hides = (name: "apiKey" | "accounts" | "baseUrl") =>
    stack?.secrets.has(name) === true && !env[SETTINGS[name].env];
  if (account !== undefined) return hides("accounts");
  return hides("apiKey") || (baseUrl === undefined && hides("baseUrl"));
}

/** Checks whether the stack's file, which is usually committed, contains plain-text keys of named accounts. */
function checkAccounts(stack: StackConfig | undefined): Finding[] {
  return (stack?.accountsInClear ?? []).map((name) =>
    fail(
      `account ${shownAccount(name)}`,
      `${stack?.file} contains its API key in plain text`,
      `Create a new key, and run \`pulumi config set --path --secret '${accountSetting("apiKey", name)}'\`. Revoke this one.`,
    ),
  );
}

function checkBaseUrl(flags: AccountFlags, stack: StackConfig | undefined, environment: NodeJS.ProcessEnv): Finding {
  const { env } = SETTINGS.baseUrl;
  const configured = stack?.values.get("baseUrl");
  const [text, source] = flags.baseUrl
    ? [flags.baseUrl, "--base-url"]
    : configured
      ? [configured, stack?.file]
      : [environment[env], env];
  if (!text && stack?.secrets.has("baseUrl")) {
    return warn(
      "base-url",
      `${stack.file} has it as a secret, which cannot be read here, so the service was not tested`,
      "It does not have to be a secret. To test it, pass --base-url.",
    );
  }
  if (!text) {
    return fail(
      "base-url",
      "it is not set",
      `Run \`pulumi config set keyplane:baseUrl https://HOST/api/v2\`, set ${env}, or pass --base-url.`,
    );
  }
  try {
    const { origin, prefix } = parseBaseUrl(text);
    return ok("base-url", `${origin}${prefix} (${source})`);
  } catch (error) {
    return fail("base-url", messageOf(error), `Correct it in ${source}.`);
  }
}

function checkCredential(stack: StackConfig | undefined, environment: NodeJS.ProcessEnv): Finding {
  const { env } = SETTINGS.apiKey;
  const key = environment[env];
  if (stack?.opened?.has("apiKey")) return checkOpened(stack);
  if (stack?.secrets.has("apiKey")) {
    return key
      ? ok("credential", `${stack.file} has it as a secret; the service is tested with ${env}`)
      : warn(
          "credential",
          `${stack.file} has it as a secret, ${unreadable(stack)}, so the service was not tested`,
          remedyOf(stack, env),
        );
  }
  if (stack?.values.has("apiKey")) {
    return fail(
      "credential",
      `${stack.file} contains it in plain text`,
      "Create a new key, and run `pulumi config set --secret keyplane:apiKey`. Revoke this one.",
    );
  }
  if (!key) {
    return fail(
      "credential",
      "it is not set",
      `Run \`pulumi config set --secret keyplane:apiKey\`, or put the API key into ${env}.`,
    );
  }
  try {
    SETTINGS.apiKey.read(key);
    return ok("credential", `${env} is set`);
  } catch (error) {
    return fail("credential", messageOf(error), `Copy the key again, and set ${env} again.`);
  }
}

/** Checks a credential that is a secret in the stack's file, and that the Pulumi CLI has decrypted. */
function checkOpened({ file, values }: StackConfig): Finding {
  try {
    SETTINGS.apiKey.read(values.get("apiKey") ?? "");
    return ok("credential", `${file} has it as a secret`);
  } catch (error) {
    return fail(
      "credential",
      messageOf(error),
      "Copy the key again, and run `pulumi config set --secret keyplane:apiKey`.",
    );
  }
}
