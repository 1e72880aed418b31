import { messageOf } from "../../provider/errors";
import { parseBaseUrl } from "../../provider/http";
import { SETTINGS, type Settings } from "../../provider/settings";
import { type AccountFlags, settingsOf } from "../account";
import { type Finding, fail, ok } from "./finding";

/** What the settings are found to be; complete ones can be tried at the service. */
export interface SettingsCheck {
  readonly findings: readonly Finding[];
  readonly settings: Settings | undefined;
}

/** Looks at the settings of the environment, and the base URL of the command line, without sending anything. */
export function checkSettings(flags: AccountFlags, env: NodeJS.ProcessEnv = process.env): SettingsCheck {
  const baseUrl = flags.baseUrl ?? env[SETTINGS.baseUrl.env];
  // What is said of a named account is one setting, which is read as a whole.
  const findings = flags.account ? [] : [checkBaseUrl(baseUrl), checkCredential(env[SETTINGS.apiKey.env])];
  if (findings.some(({ verdict }) => verdict === "fail")) return { findings, settings: undefined };
  try {
    return { findings, settings: settingsOf(flags, env) };
  } catch (error) {
    return {
      findings: [...findings, fail("settings", messageOf(error), "Correct it, or unset it to have the default.")],
      settings: undefined,
    };
  }
}

function checkBaseUrl(text: string | undefined): Finding {
  const { env } = SETTINGS.baseUrl;
  if (!text) {
    return fail("base-url", "it is not set", `Set ${env}, or give --base-url https://HOST/api/v2.`);
  }
  try {
    const { origin, prefix } = parseBaseUrl(text);
    return ok("base-url", `${origin}${prefix}`);
  } catch (error) {
    return fail("base-url", messageOf(error), `Correct ${env}, keyplane:baseUrl or --base-url.`);
  }
}

function checkCredential(key: string | undefined): Finding {
  const { env } = SETTINGS.apiKey;
  if (!key) {
    return fail(
      "credential",
      "it is not set",
      `Put the API key into ${env}; in programs, keyplane:apiKey will do, too.`,
    );
  }
  try {
    SETTINGS.apiKey.read(key);
    return ok("credential", `${env} is set`);
  } catch (error) {
    return fail("credential", messageOf(error), `Copy the key anew, and set ${env} again.`);
  }
}
