import { createHash } from "node:crypto";
import { base32 } from "./base32";

/**
 * Whether the name of an account can be a secret in the wrong place. A harmless one consists of up to four words or
 * short parts, such as `eu-west-1`.
 */
export function looksSecret(name: string): boolean {
  const parts = name.replace(/^-/, "").split("-");
  return parts.length > 4 || !parts.every((part) => /^(?:[a-z]{0,14}|[A-Z]{0,14}|[a-z0-9]{0,6})$/.test(part));
}

/**
 * An account in a message: its name, or a text that stands for it if the name can be a secret in the wrong place.
 * @param position - Its position in the setting, if it is known. @default a digest of the name
 */
export function shownAccount(name: string, position?: number): string {
  if (!looksSecret(name)) return name;
  return `[account ${position ?? base32(createHash("sha256").update(name).digest().subarray(0, 5))}]`;
}

/** Name of the setting with an account's base URL or key, for messages. */
export function accountSetting(member: "baseUrl" | "apiKey", account: string | undefined): string {
  return account === undefined ? `keyplane:${member}` : `keyplane:accounts.${shownAccount(account)}.${member}`;
}
