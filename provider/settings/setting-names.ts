/** The names of all settings. A program reads only them, because most runs need no setting there. */
export const SETTING_NAMES = [
  "baseUrl",
  "apiKey",
  "accounts",
  "requestTimeout",
  "operationTimeout",
  "pollInterval",
  "concurrency",
  "requestsPerSecond",
  "requestsPerMinute",
  "importKeys",
] as const;

export const SECRET_SETTINGS = ["apiKey", "accounts", "importKeys"] as const;

/** The name of a setting, except `importKeys`, which only an import needs. */
export type SettingName = Exclude<(typeof SETTING_NAMES)[number], "importKeys">;
