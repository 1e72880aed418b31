import { createHash } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Short text that tells credentials apart without telling anything about them: 12 characters of base32. */
export function fingerprint(origin: string, apiKey: string): string {
  const hash = createHash("sha256").update(`${origin}\n${apiKey}`).digest();
  let text = "";
  // 12 characters of 5 bits each.
  for (let bit = 0; bit < 60; bit += 5) {
    const byte = bit >> 3;
    const pair = ((hash[byte] ?? 0) << 8) | (hash[byte + 1] ?? 0);
    text += ALPHABET[(pair >> (11 - (bit & 7))) & 31];
  }
  return text;
}
