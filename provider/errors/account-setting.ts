/** The setting that holds an account's base URL or key, as messages name it. */
export function accountSetting(member: "baseUrl" | "apiKey", account: string | undefined): string {
  return account === undefined ? `keyplane:${member}` : `keyplane:accounts.${account}.${member}`;
}
