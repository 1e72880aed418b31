/** Longest piece of the service's words in a message, in characters. */
const MAX_WORDS = 200;

// Control characters (C0, DEL, C1), line separators, lone surrogates, and all that turns the direction or hides text.
const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu;

/**
 * Makes text that came from outside fit for a terminal and a log: one line, no control or direction characters, cut at
 * 200 characters.
 */
export function cleanText(text: string, max = MAX_WORDS): string {
  // Cut first, generously: replacing in a text of megabytes would be paid for nothing.
  const clean = text
    .slice(0, max * 4)
    .replace(UNPRINTABLE, " ")
    .trim();
  const chars = Array.from(clean);
  return chars.length > max ? `${chars.slice(0, max - 1).join("")}…` : clean;
}
