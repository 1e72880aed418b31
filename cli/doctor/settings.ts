import { messageOf } from "../../provider/errors";
import { SETTINGS, type Settings } from "../../provider/settings/settings";
import { accountSetting, shownAccount } from "../../provider/text";
import { type AccountFlags, accountNames, settingsOf } from "../account";
import { type Finding, fail, ok, warn } from "./finding";
import type { StackConfig } from "./stack-config";

/**
 * Checks the settings of the command line, the stack's configuration and the environment, without sending anything.
 * Complete settings can be tested with the service.
 */
export function checkSettings(flags: AccountFlags, stack: StackConfig) {
  // A named account is a single setting, which is read as a whole.
  const ownAccount = flags.account ? [] : [checkBaseUrl(stack), checkCredential(stack)];
  // The stack's file is usually committed.
  const inClear = stack.accountsInClear.map((name) =>
    fail(
      `account ${shownAccount(name)}`,
      `${stack.settings.get("accounts")?.file} contains its API key in plain text`,
      `Create a new key, and run \`pulumi config set --path --secret '${accountSetting("apiKey", name)}'\`. Revoke this one.`,
    ),
  );
  const findings = [...ownAccount, ...inClear];
  const hidden = isHidden(flags, stack);
  if (hidden && flags.account !== undefined) findings.push(notTried(stack, flags.account));
  if (hidden || findings.some(({ verdict }) => verdict === "fail")) return { findings, settings: undefined };
  try {
    return { findings, settings: settingsOf({ ...flags, config: (name) => stack.settings.get(name)?.text }) };
  } catch (error) {
    const problem = fail("settings", messageOf(error), "Correct it, or unset it to use the default.");
    return { findings: [...findings, problem], settings: undefined };
  }
}

/** Returns the settings of named accounts that can be tested, and findings about the others. Sends nothing. */
export function checkNamedAccounts(stack: StackConfig) {
  const none = new Map<string, Settings>();
  if (hides(stack, "accounts")) return { findings: [notTried(stack)], accounts: none };
  const config = (name: string) => stack.settings.get(name)?.text;
  try {
    const names = accountNames(process.env, config);
    const accounts = new Map(names.map((account) => [account, settingsOf({ account, config })]));
    return { findings: [], accounts };
  } catch (error) {
    return { findings: [fail("accounts", messageOf(error), "Correct it, or remove it.")], accounts: none };
  }
}

function notTried(stack: StackConfig, account?: string): Finding {
  return warn(
    "accounts",
    `${stack.settings.get("accounts")?.file} has keyplane:accounts as a secret, ${unreadable(stack)}, so ` +
      `${account === undefined ? "its accounts were" : `the account ${shownAccount(account)} was`} not tested`,
    remedyOf(stack, SETTINGS.accounts.env),
  );
}

const unreadable = (stack: StackConfig): string =>
  `which cannot be read here${stack.sealed === undefined ? "" : ` (${stack.sealed.why})`}`;

/** What lets the service be tested with a secret of the stack. */
function remedyOf(stack: StackConfig, variable: string): string {
  if (stack.sealed !== undefined) return `${stack.sealed.remedy}, or set ${variable}.`;
  return `To test it, pass --stack NAME or set PULUMI_CONFIG_PASSPHRASE, so that the Pulumi CLI decrypts it, or set ${variable}.`;
}

/** Whether a setting is set nowhere but in a secret of the stack, or maybe in an environment of Pulumi ESC. */
function hides(stack: StackConfig, name: "apiKey" | "accounts" | "baseUrl"): boolean {
  if (process.env[SETTINGS[name].env]) return false;
  const setting = stack.settings.get(name);
  return setting === undefined ? name !== "accounts" && stack.hasEnvironments : setting.text === undefined;
}

const OF_ENVIRONMENT =
  "it is in no file of the stack, and its environments cannot be read here, so the service was not tested";

/** Whether the service cannot be tested because a required setting is a stack secret and set nowhere else. */
function isHidden({ account }: AccountFlags, stack: StackConfig): boolean {
  if (account !== undefined) return hides(stack, "accounts");
  return hides(stack, "apiKey") || hides(stack, "baseUrl");
}

/** The finding about a setting that can be read, or about what is wrong with it. */
function checkReading(check: string, read: () => string, remedy: string): Finding {
  try {
    return ok(check, read());
  } catch (error) {
    return fail(check, messageOf(error), remedy);
  }
}

function checkBaseUrl(stack: StackConfig): Finding {
  const { env } = SETTINGS.baseUrl;
  const setting = stack.settings.get("baseUrl");
  const places = [
    [setting?.text, setting?.file],
    [process.env[env], env],
  ] as const;
  const [text, source] = places.find(([value]) => value) ?? [];
  if (text) {
    const read = () => `${SETTINGS.baseUrl.read(text)} (${source})`;
    return checkReading("base-url", read, `Correct it in ${source}.`);
  }
  if (setting?.isSecret) {
    return warn(
      "base-url",
      `${setting.file} has it as a secret, which cannot be read here, so the service was not tested`,
      "It does not have to be a secret. To test it, set KEYPLANE_BASE_URL.",
    );
  }
  if (hides(stack, "baseUrl")) return warn("base-url", OF_ENVIRONMENT, "To test it, set KEYPLANE_BASE_URL.");
  const remedy = `Run \`pulumi config set keyplane:baseUrl https://HOST/api/v2\`, or set ${env}.`;
  return fail("base-url", "it is not set", remedy);
}

function checkCredential(stack: StackConfig): Finding {
  const { env } = SETTINGS.apiKey;
  const key = process.env[env];
  const read = (text: string, says: string, remedy: string) => {
    const reading = () => {
      SETTINGS.apiKey.read(text);
      return says;
    };
    return checkReading("credential", reading, `Copy the key again, and ${remedy}.`);
  };
  const setting = stack.settings.get("apiKey");
  if (setting?.isSecret) {
    const says = `${setting.file} has it as a secret`;
    if (setting.text !== undefined) return read(setting.text, says, "run `pulumi config set --secret keyplane:apiKey`");
    if (key) return ok("credential", `${says}; the service is tested with ${env}`);
    return warn("credential", `${says}, ${unreadable(stack)}, so the service was not tested`, remedyOf(stack, env));
  }
  if (setting !== undefined) {
    const remedy = `Create a new key, run \`pulumi config set --secret keyplane:apiKey\`, and remove this one from ${setting.file}. Revoke it.`;
    return fail("credential", `${setting.file} contains it in plain text`, remedy);
  }
  if (key) return read(key, `${env} is set`, `set ${env} again`);
  if (hides(stack, "apiKey")) return warn("credential", OF_ENVIRONMENT, `To test it, set ${env}.`);
  const remedy = `Run \`pulumi config set --secret keyplane:apiKey\`, or put the API key into ${env}.`;
  return fail("credential", "it is not set", remedy);
}
