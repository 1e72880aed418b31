import type { Command } from "commander";
import type { AccountSettings } from "../provider/account-settings";
import { Account } from "../provider/api";
import { HttpClient, systemClock } from "../provider/http";
import { checkId } from "../provider/ids";
import { type ConfigReader, resolveSettings, SETTINGS, type Settings } from "../provider/settings/settings";
import { shownAccount } from "../provider/text";
import { UsageError } from "./usage-error";

export interface AccountFlags {
  readonly baseUrl?: string | undefined;
  readonly account?: string | undefined;
}

export interface KeysFlags extends AccountFlags {
  readonly organization?: string;
}

/**
 * Adds the options of all commands that send requests. The API key is not an option, because process lists show
 * arguments.
 */
export function withAccount(command: Command): Command {
  const { baseUrl, apiKey, accounts } = SETTINGS;
  return command
    .option("--base-url <url>", `address of the service's API (default: ${baseUrl.env})`)
    .option("--account <name>", `an account of ${accounts.env} (default: the one of ${apiKey.env})`)
    .hook("preAction", () => mustBeOneAddress(command.opts()))
    .addHelpText("after", `\nThe API key is read from ${apiKey.env}; other settings from KEYPLANE_* as in programs.`);
}

/** Throws if an option names another address than the account has: a command must not change keys elsewhere. */
function mustBeOneAddress({ account, baseUrl }: AccountFlags): void {
  if (account === undefined || baseUrl === undefined) return;
  const { accounts } = SETTINGS;
  if (accounts.read(process.env[accounts.env] ?? accounts.fallback).get(account)?.baseUrl === undefined) return;
  throw new UsageError(
    `--base-url: account ${shownAccount(account)} has its own address in ${accounts.env}. Leave it out`,
  );
}

export function withKeys(command: Command): Command {
  const about = "keys of this organization, not the account's own";
  return withAccount(command.option("--organization <id>", about, readOrganization));
}

export const readOrganization = (id: string): string => checkId("organization", id, "--organization");

/** The options for an account: the address of the command line is only that of the account which it selects. */
export function flagsFor(account: string | undefined, selected: AccountFlags): AccountFlags {
  return account === selected.account ? selected : { account };
}

/** Opens the account that the environment and the command line select. Sends nothing. */
export function openAccount(flags: AccountFlags): Account {
  return Account.for(settingsOf(flags));
}

/** A client for requests that an `Account` does not send. */
export function clientOf(settings: AccountSettings): HttpClient {
  return new HttpClient({ ...settings, clock: systemClock, random: Math.random });
}

/** Returns the names of the configured accounts. A stack's configuration takes precedence over the environment. */
export function accountNames(env: NodeJS.ProcessEnv, config: ConfigReader = () => undefined): string[] {
  const { accounts } = SETTINGS;
  return [...accounts.read(config("accounts") ?? env[accounts.env] ?? accounts.fallback).keys()];
}

/** The accounts that the environment configures. The one of `KEYPLANE_API_KEY` comes first, as `undefined`. */
export function configuredAccounts(): (string | undefined)[] {
  return [...(process.env[SETTINGS.apiKey.env] ? [undefined] : []), ...accountNames(process.env)];
}

export function credentialName(account: string | undefined): string {
  return account === undefined ? SETTINGS.apiKey.env : `account ${shownAccount(account)}`;
}

/** Returns the settings from the command line, the environment and, if given, a stack's configuration. */
export function settingsOf(
  flags: AccountFlags & { readonly config?: ConfigReader },
  env: NodeJS.ProcessEnv = process.env,
): Settings {
  const { account, config = () => undefined } = flags;
  const { accounts } = SETTINGS;
  const names = account === undefined ? [] : accountNames(env, config);
  if (account !== undefined && !names.includes(account)) {
    const shown = names.map((name) => shownAccount(name)).join(", ");
    const known = names.length === 0 ? "none is configured" : `configured are ${shown}`;
    throw new UsageError(`--account does not name an account in ${accounts.env} (${known})`);
  }
  const missing: string[] = [];
  if (account === undefined && !flags.baseUrl && !config("baseUrl") && !env[SETTINGS.baseUrl.env]) {
    missing.push(`no base URL is set. Pass --base-url https://HOST/api/v2, or set ${SETTINGS.baseUrl.env}`);
  }
  if (account === undefined && !config("apiKey") && !env[SETTINGS.apiKey.env]) {
    missing.push(`no API key is set. Put it into the environment variable ${SETTINGS.apiKey.env}`);
  }
  if (missing.length > 0) {
    // Other commands than `doctor` pass no configuration, also those that read the state of a stack.
    const source = flags.config === undefined ? ". The configuration of a stack is not read" : "";
    throw new UsageError(missing.join(". Also, ") + source);
  }
  return resolveSettings((name) => (name === "baseUrl" ? flags.baseUrl : undefined) ?? config(name), env, account);
}
