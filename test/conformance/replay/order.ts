/**
 * Brings `actual` into the order of `expected`. Two items keep their order if `fixed` says so. An item that cannot be
 * moved stays where it is, so that a comparison shows it.
 */
export function inOrderOf<T>(
  expected: readonly T[],
  actual: readonly T[],
  same: (a: T, b: T) => boolean,
  fixed: (a: T, b: T) => boolean,
): T[] {
  const rest = [...actual];
  const ordered: T[] = [];
  for (const wanted of expected) {
    const found = rest.findIndex((item) => same(item, wanted));
    // An item may move before others only if its order is not fixed with any of them.
    if (found < 0 || rest.slice(0, found).some((earlier) => fixed(earlier, wanted))) break;
    ordered.push(...rest.splice(found, 1));
  }
  return [...ordered, ...rest];
}
