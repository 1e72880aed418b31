import { createHash, randomBytes } from "node:crypto";
import { base32 } from "../base32";

const SALT_LENGTH = 8;
const HASH_BYTES = 10;

/**
 * A digest of a value, to detect later whether the value has changed. The value itself may contain a secret, and an
 * output without an input of the same name is not encrypted in the state.
 */
export function digestOf(value: unknown): string {
  return salted(value, base32(randomBytes(5)));
}

/** Whether a digest was made of this value. */
export function isDigestOf(value: unknown, digest: unknown): boolean {
  return typeof digest === "string" && salted(value, digest.slice(0, SALT_LENGTH)) === digest;
}

function salted(value: unknown, salt: string): string {
  const hash = createHash("sha256")
    .update(`${salt}\n${JSON.stringify(inOneOrder(value))}`)
    .digest();
  return `${salt}${base32(hash.subarray(0, HASH_BYTES))}`;
}

/** The value with the members of its objects sorted, because their order has no meaning. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, inOneOrder(member)]);
}
