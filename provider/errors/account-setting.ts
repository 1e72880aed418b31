/** Name of the setting with an account's base URL or key, for messages. */
export function accountSetting(member: "baseUrl" | "apiKey", account: string | undefined): string {
  return account === undefined ? `keyplane:${member}` : `keyplane:accounts.${account}.${member}`;
}
