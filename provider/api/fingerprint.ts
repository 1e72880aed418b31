import { createHash } from "node:crypto";
import { base32 } from "../base32";

/** Short text that tells credentials apart without telling anything about them: 12 characters of base32. */
export function fingerprint(origin: string, apiKey: string): string {
  return base32(createHash("sha256").update(`${origin}\n${apiKey}`).digest().subarray(0, 8));
}
