import type { Command } from "commander";
import { Account } from "../provider/api";
import { type Caller, readCaller } from "../provider/api/caller";
import { HttpClient, systemClock } from "../provider/http";
import { resolveSettings, SETTINGS, type Settings } from "../provider/settings";
import { UsageError } from "./usage-error";

/** What the command line says about the account. */
export interface AccountFlags {
  readonly baseUrl?: string;
}

/** Adds what every command takes that talks to the service. The credential is not among it: argv shows in process lists. */
export function withAccount(command: Command): Command {
  return command
    .option("--base-url <url>", `address of the service's API (default: ${SETTINGS.baseUrl.env})`)
    .addHelpText(
      "after",
      `\nThe API key is read from ${SETTINGS.apiKey.env}; other settings from KEYPLANE_* as in programs.`,
    );
}

/** The account that the environment and the command line lead to. Sends nothing. */
export function openAccount(flags: AccountFlags): Account {
  return Account.for(settingsOf(flags));
}

/** Asks whom the credential stands for; `undefined` where the service does not tell. */
export function askCaller(flags: AccountFlags, signal: AbortSignal): Promise<Caller | undefined> {
  const http = new HttpClient({ ...settingsOf(flags), clock: systemClock, random: Math.random });
  return readCaller(http, { signal });
}

function settingsOf(flags: AccountFlags, env: NodeJS.ProcessEnv = process.env): Settings {
  if (!flags.baseUrl && !env[SETTINGS.baseUrl.env]) {
    throw new UsageError(`no address is set: give --base-url https://HOST/api/v2, or set ${SETTINGS.baseUrl.env}`);
  }
  if (!env[SETTINGS.apiKey.env]) {
    throw new UsageError(`no API key is set: put it into the environment variable ${SETTINGS.apiKey.env}`);
  }
  return resolveSettings((name) => (name === "baseUrl" ? flags.baseUrl : undefined), env);
}
