import { timingSafeEqual } from "node:crypto";
import { inspect } from "node:util";
import type { AccountSettings, DOCUMENTED_RATES } from "../account-settings";
import { sha256 } from "../base32";
import { MAX_TIMER_MS, parseDuration, TIMER_FORM } from "../duration";
import { ConfigError, isKeyplaneError } from "../errors";
import { keyDigest } from "../key-digest";
import { accountSetting, looksSecret, shownAccount } from "../text";
import { apiKeyProblem, type NamedAccount, parseAccounts, readAll, readBaseUrl } from "./accounts";
import type { SettingName } from "./setting-names";

/** Reads one value of the `keyplane` config namespace; `undefined` if it is not set. */
export type ConfigReader = (key: string) => string | undefined;

const SettingValues = class {
  constructor(values: AccountSettings) {
    Object.assign(this, values);
  }
} as new (
  values: AccountSettings,
) => AccountSettings;

/** All settings of one account, checked and complete. Printing them shows no credential. */
export class Settings extends SettingValues {
  toJSON(): object {
    const { credentials, ...rest } = this;
    return { ...rest, apiKey: "[secret]" };
  }

  [inspect.custom](): string {
    return `Settings ${inspect(this.toJSON())}`;
  }
}

/** Only the type of the service's rates: a run loads no file for them. */
type Rates = typeof DOCUMENTED_RATES;

/**
 * The settings and their sources: Pulumi config `keyplane:NAME`, else the environment variable, else the
 * default. `baseUrl` and `apiKey` have no default, because a guess would send a credential to the wrong place.
 */
export const SETTINGS = {
  baseUrl: { env: "KEYPLANE_BASE_URL", fallback: undefined, read: readBaseUrl },
  apiKey: { env: "KEYPLANE_API_KEY", fallback: undefined, read: readApiKey },
  accounts: { env: "KEYPLANE_ACCOUNTS", fallback: "{}", read: parseAccounts },
  requestTimeout: { env: "KEYPLANE_REQUEST_TIMEOUT", fallback: "30s", read: readTimer },
  operationTimeout: { env: "KEYPLANE_OPERATION_TIMEOUT", fallback: "30m", read: readTimer },
  pollInterval: { env: "KEYPLANE_POLL_INTERVAL", fallback: "5s", read: readTimer },
  concurrency: { env: "KEYPLANE_CONCURRENCY", fallback: "32", read: readCount },
  requestsPerSecond: {
    env: "KEYPLANE_REQUESTS_PER_SECOND",
    fallback: "40" satisfies `${Rates["perSecond"]}`,
    read: readCount,
  },
  requestsPerMinute: {
    env: "KEYPLANE_REQUESTS_PER_MINUTE",
    fallback: "700" satisfies `${Rates["perMinute"]}`,
    read: readCount,
  },
} as const satisfies Readonly<Record<SettingName, object>>;

/**
 * Resolves and checks all settings of an account: the one of `keyplane:apiKey`, or one of `keyplane:accounts` by its
 * name. Throws a `ConfigError` that names each wrong setting, what is wrong with it and the remedy.
 */
export function resolveSettings(
  config: ConfigReader,
  env: NodeJS.ProcessEnv = process.env,
  account?: string,
): Settings {
  const text = (name: SettingName) => config(name) ?? env[SETTINGS[name].env] ?? SETTINGS[name].fallback ?? "";
  const required = (name: "baseUrl" | "apiKey"): string => {
    const value = text(name);
    if (value === "") throw missing(name);
    return value;
  };
  // The HTTP client sets the default rates, because they depend on the address.
  const rate = (name: "requestsPerSecond" | "requestsPerMinute") => {
    const value = config(name) ?? env[SETTINGS[name].env];
    return value === undefined ? undefined : SETTINGS[name].read(value, name);
  };
  const accounts = () => SETTINGS.accounts.read(text("accounts"));
  const named = () => (account === undefined ? undefined : findAccount(accounts(), account));
  const baseUrl = () => {
    const url = named()?.baseUrl;
    if (account !== undefined && url === undefined && text("baseUrl") === "") throw noBaseUrl(account);
    return url ?? SETTINGS.baseUrl.read(required("baseUrl"));
  };
  const apiKeyFrom = config(account === undefined ? "apiKey" : "accounts") === undefined ? "environment" : "config";
  const { accounts: _, ...values } = readAll({
    accounts,
    baseUrl,
    apiKey: () => named()?.apiKey ?? SETTINGS.apiKey.read(required("apiKey")),
    credentials: () => [...credentialsIn(config, env)],
    requestTimeoutMs: () => SETTINGS.requestTimeout.read(text("requestTimeout"), "requestTimeout"),
    operationTimeoutMs: () => SETTINGS.operationTimeout.read(text("operationTimeout"), "operationTimeout"),
    pollIntervalMs: () => SETTINGS.pollInterval.read(text("pollInterval"), "pollInterval"),
    concurrency: () => SETTINGS.concurrency.read(text("concurrency"), "concurrency"),
    requestsPerSecond: () => rate("requestsPerSecond"),
    requestsPerMinute: () => rate("requestsPerMinute"),
  });
  return new Settings({ ...(account === undefined ? {} : { account }), apiKeyFrom, ...values });
}

/**
 * Every configured credential, by the name of its setting. No message may show them, and they must not be revoked.
 * Never throws: a credential that cannot be read is left out, because it was never used and is never quoted.
 */
export function credentialsIn(config: ConfigReader, env: NodeJS.ProcessEnv = process.env): ReadonlyMap<string, string> {
  const text = (name: "apiKey" | "accounts") => config(name) ?? env[SETTINGS[name].env] ?? "";
  const credentials = new Map<string, string>();
  if (text("apiKey") !== "") credentials.set(accountSetting("apiKey", undefined), text("apiKey"));
  if (text("accounts") === "") return credentials;
  try {
    for (const [name, { apiKey }] of parseAccounts(text("accounts"))) {
      credentials.set(accountSetting("apiKey", name), apiKey);
    }
  } catch (error) {
    if (!isKeyplaneError(error)) throw error;
  }
  return credentials;
}

/**
 * Name of the setting that has a key's secret, for messages; `undefined` if keyplane does not authenticate with the key.
 * A sealed key is recognized by the public digest of its secret.
 */
export function settingOf(
  { account, apiKey, credentials = [] }: Pick<AccountSettings, "account" | "apiKey" | "credentials">,
  { key, digest }: { readonly key?: string | undefined; readonly digest?: string | undefined },
): string | undefined {
  const own = [[accountSetting("apiKey", account), apiKey] as const, ...credentials];
  const isSame = (credential: string) =>
    key === undefined ? digest !== undefined && keyDigest(credential) === digest : isSameText(credential, key);
  return own.find(([, credential]) => isSame(credential))?.[0];
}

/** Compares two secrets. The time that it takes says nothing about them. */
const isSameText = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));

function findAccount(accounts: ReadonlyMap<string, NamedAccount>, name: string): NamedAccount {
  const account = accounts.get(name);
  if (account !== undefined) return account;
  const shown = Array.from(accounts.keys(), (each, at) => shownAccount(each, at + 1));
  const known = shown.length === 0 ? "none is configured" : `configured are ${shown.join(", ")}`;
  throw new ConfigError(
    `keyplane:accounts has no account ${looksSecret(name) ? "of the given name" : JSON.stringify(name)} (${known}). Correct the name, or run ` +
      "`pulumi config set --path --secret 'keyplane:accounts.NAME.apiKey'`",
  );
}

function noBaseUrl(account: string): ConfigError {
  const baseUrl = accountSetting("baseUrl", account);
  return new ConfigError(
    `${baseUrl} is not set, and neither is keyplane:baseUrl. Run ` +
      `\`pulumi config set --path '${baseUrl}' https://HOST/api/v2\``,
  );
}

function missing(name: "baseUrl" | "apiKey"): ConfigError {
  const secret = name === "apiKey" ? "--secret " : "";
  const example = name === "apiKey" ? "" : " https://HOST/api/v2";
  return new ConfigError(
    `keyplane:${name} is not set. Run \`pulumi config set ${secret}keyplane:${name}${example}\`, or set ${SETTINGS[name].env}`,
  );
}

function bad(name: SettingName, problem: string): ConfigError {
  return new ConfigError(`keyplane:${name} ${problem} (set by config keyplane:${name} or ${SETTINGS[name].env})`);
}

function readApiKey(text: string): string {
  const problem = apiKeyProblem(text);
  if (problem !== undefined) throw bad("apiKey", problem);
  return text;
}

function readTimer(text: string, name: "requestTimeout" | "operationTimeout" | "pollInterval"): number {
  const ms = parseDuration(text, MAX_TIMER_MS);
  if (ms === undefined) throw bad(name, `must be a duration: ${TIMER_FORM}`);
  return ms;
}

const MOST = { concurrency: 1_000, requestsPerSecond: 10_000, requestsPerMinute: 100_000 } as const;

function readCount(text: string, name: keyof typeof MOST): number {
  // Java writes a whole number as `4.0`.
  const count = /^[1-9]\d{0,5}(\.0)?$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST[name]) throw bad(name, `must be a whole number from 1 to ${MOST[name]}`);
  return count;
}
