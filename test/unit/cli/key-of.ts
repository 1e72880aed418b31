import { createHash } from "node:crypto";

const ALPHABET = "abcdefghijk2mnopqrstuvwxyz0123456789";

/** A key as the service creates it, always the same one for a number. */
export function keyOf(number: number): string {
  const bytes = [0, 1].flatMap((part) => [...createHash("sha512").update(`key ${number} ${part}`).digest()]);
  const digits = Array.from({ length: 64 }, (_, at) => ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)) % 36);
  return `kp_${digits.map((digit) => ALPHABET[digit]).join("")}`;
}
