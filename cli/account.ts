import type { Command } from "commander";
import type { AccountSettings } from "../provider/account-settings";
import { Account } from "../provider/api";
import { HttpClient, systemClock } from "../provider/http";
import { checkId } from "../provider/ids";
import { type ConfigReader, resolveSettings, SETTINGS, type Settings } from "../provider/settings/settings";
import { shownAccount } from "../provider/text";
import { UsageError } from "./usage-error";

export interface AccountFlags {
  readonly account?: string | undefined;
}

export interface KeysFlags extends AccountFlags {
  readonly organization?: string;
}

/**
 * Adds the options of all commands that send requests. Address and API key are no options: process lists show arguments,
 * and a key belongs to its address.
 */
export function withAccount(command: Command): Command {
  const { baseUrl, apiKey, accounts } = SETTINGS;
  return command
    .option("--account <name>", `an account of ${accounts.env} (default: the one of ${apiKey.env})`)
    .addHelpText(
      "after",
      `\nThe service is the one of ${baseUrl.env}, the API key that of\n${apiKey.env}; other settings are read from KEYPLANE_*.`,
    );
}

export function withKeys(command: Command): Command {
  const about = "keys of this organization, not the account's own";
  return withAccount(command.option("--organization <id>", about, readOrganization));
}

export const readOrganization = (id: string): string => checkId("organization", id, "--organization");

/** Opens the account that the environment and the command line select. Sends nothing. */
export function openAccount(flags: AccountFlags): Account {
  return Account.for(settingsOf(flags));
}

/** A client for requests that an `Account` does not send. */
export function clientOf(settings: AccountSettings): HttpClient {
  return new HttpClient({ ...settings, clock: systemClock, random: Math.random });
}

const noConfig: ConfigReader = () => undefined;

/** Returns the names of the configured accounts. A stack's configuration takes precedence over the environment. */
export function accountNames(config = noConfig): string[] {
  const { accounts } = SETTINGS;
  return [...accounts.read(config("accounts") ?? process.env[accounts.env] ?? accounts.fallback).keys()];
}

/** The accounts that the environment configures. The one of `KEYPLANE_API_KEY` comes first, as `undefined`. */
export function configuredAccounts(): (string | undefined)[] {
  return [...(process.env[SETTINGS.apiKey.env] ? [undefined] : []), ...accountNames()];
}

export function credentialName(account: string | undefined): string {
  return account === undefined ? SETTINGS.apiKey.env : `account ${shownAccount(account)}`;
}

/** The settings of an account, from the environment. */
export function settingsOf({ account }: AccountFlags): Settings {
  if (account !== undefined) {
    const names = accountNames();
    const shown = names.map((name) => shownAccount(name)).join(", ");
    const known = names.length === 0 ? "none is configured" : `configured are ${shown}`;
    if (names.includes(account)) return resolveSettings(noConfig, process.env, account);
    throw new UsageError(`--account does not name an account in ${SETTINGS.accounts.env} (${known})`);
  }
  const needed = { baseUrl: "no base URL is set. Set", apiKey: "no API key is set. Set" } as const;
  const missing = (["baseUrl", "apiKey"] as const).filter((name) => !process.env[SETTINGS[name].env]);
  if (missing.length === 0) return resolveSettings(noConfig);
  const all = missing.map((name) => `${needed[name]} ${SETTINGS[name].env}`).join(". Also, ");
  throw new UsageError(`${all}. The configuration of a stack is not read`);
}
