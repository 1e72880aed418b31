const LOWER = "abcdefghijklmnopqrstuvwxyz";

export const LETTERS_AND_DIGITS = `${LOWER}${LOWER.toUpperCase()}0123456789`;

/** Minimum number of random characters of a key with a digest. */
export const RANDOM = 40;

/** Bytes to search, as they are in a text or decoded from a part of it. */
export interface Piece {
  readonly bytes: Buffer;
  /** Whether there is more text before or after them, so that what touches their start or end may be incomplete. */
  readonly openStart: boolean;
  readonly openEnd: boolean;
}

/** The set of these characters: 1 for each member. */
export function setOf(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters, "latin1")) set[byte] = 1;
  return set;
}

/**
 * The longest ranges that consist of members of a set and are at least so long, in order. Skips like Boyer and Moore: a
 * range of 40 bytes covers one of any 40 bytes in a row, so most bytes are never looked at, and none more than twice.
 * `step` is the distance of two elements, for a set of every fourth byte and the like. `start` is the first element.
 */
export function* runsOf(
  bytes: Uint8Array,
  set: Uint8Array,
  atLeast: number,
  { step = 1, start = 0 }: { readonly step?: number; readonly start?: number } = {},
): Generator<readonly [from: number, to: number]> {
  const isIn = (at: number) => set[bytes[at] ?? 0] === 1;
  let begin = start;
  for (let at = start + (atLeast - 1) * step; at < bytes.length; ) {
    if (!isIn(at)) {
      begin = at + step;
      at += atLeast * step;
      continue;
    }
    let [from, to] = [at, at + step];
    while (from > begin && isIn(from - step)) from -= step;
    while (to < bytes.length && isIn(to)) to += step;
    if (to - from >= atLeast * step) yield [from, to];
    begin = to + step;
    at = to + atLeast * step;
  }
}
