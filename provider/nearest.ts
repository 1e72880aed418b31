/** Names are shorter. A longer text is not a mistyped name. */
const LONGEST = 64;

/** `. Did you mean namePrefix?` if a text is nearly one of these names; otherwise an empty text. */
export function didYouMean(text: string, names: readonly string[]): string {
  if (text.length > LONGEST) return "";
  const written = text.toLowerCase();
  // One error in three characters: more would suggest names that only have the same length.
  const limit = Math.max(1, Math.floor(text.length / 3));
  let [nearest, least] = ["", limit + 1];
  for (const name of names) {
    const errors = distance(written, name.toLowerCase());
    if (errors < least) [nearest, least] = [name, errors];
  }
  return nearest === "" ? "" : `. Did you mean ${nearest}?`;
}

/** The optimal string alignment distance: characters to insert, remove, replace or swap with the next one. */
function distance(one: string, other: string): number {
  let [beforeLast, last] = [[] as readonly number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const now = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwap = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      now[at] = Math.min(
        (last[at] ?? 0) + 1,
        (now[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, now];
  }
  return last[other.length] ?? 0;
}
