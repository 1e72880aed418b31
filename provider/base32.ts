import { hash } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** RFC 4648 base32 in lower case, without padding. Drops bits that do not fill a character. */
export function base32(bytes: Uint8Array): string {
  let [text, bits, count] = ["", 0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    for (count += 8; count >= 5; count -= 5) text += ALPHABET.charAt((bits >> (count - 5)) & 31);
  }
  return text;
}

export function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** Eight characters that stand for a text: the first 40 bits of its SHA-256. */
export function shortDigest(text: string): string {
  return base32(sha256(text).subarray(0, 5));
}
