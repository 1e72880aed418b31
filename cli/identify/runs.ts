/** A set of bytes: 1 for each member. */
export type ByteSet = Uint8Array;

/** The set of these characters. */
export function setOf(characters: string): ByteSet {
  const set = new Uint8Array(256);
  for (const byte of Buffer.from(characters, "latin1")) set[byte] = 1;
  return set;
}

/** A part of some bytes: from its start up to its end. */
export type Range = readonly [from: number, to: number];

/**
 * The longest ranges that consist of members of a set and are at least so long, in order. Skips like Boyer and Moore: a
 * range of 40 bytes covers one of any 40 bytes in a row, so most bytes are never looked at, and none more than twice.
 * `step` is the distance of two elements, for a set of every fourth byte and the like. `start` is the first element.
 */
export function* runsOf(
  bytes: Uint8Array,
  set: ByteSet,
  atLeast: number,
  { step = 1, start = 0 }: { readonly step?: number; readonly start?: number } = {},
): Generator<Range> {
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
