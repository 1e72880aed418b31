/** What stands in place of a secret. */
export const REDACTED = "[secret]";

/** Shorter texts are no secrets of this service, and would blot out ordinary words. */
const MIN_LENGTH = 8;

// A run this long without a hyphen is no id, name or word of the service, but may be a key never seen whole before.
const KEY_LIKE = /[A-Za-z0-9_]{32,}/g;

/** Replaces every secret in the text, as it is and as it looks inside a URL, base64, hex or JSON. */
export function redact(text: string, secrets: Iterable<string>): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < MIN_LENGTH) continue;
    for (const form of forms(secret)) {
      if (result.includes(form)) result = result.replaceAll(form, REDACTED);
    }
  }
  return result;
}

/** Masks whatever looks like a key, for text of the service in which a key not yet known could stand. */
export function maskKeyLike(text: string): string {
  return text.replace(KEY_LIKE, REDACTED);
}

function forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const all = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
  // One form can begin with another: the longest goes first, so that nothing of it is left over.
  return all.sort((a, b) => b.length - a.length);
}
