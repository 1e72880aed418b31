/**
 * Brings `actual` into the order of `expected`, moving only what may move: two items keep their order where `fixed` says
 * so. What cannot be brought into that order stays where it is, so that a comparison shows it.
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
    // It may come before others only if it is bound to none of them.
    if (found < 0 || rest.slice(0, found).some((earlier) => fixed(earlier, wanted))) break;
    ordered.push(...rest.splice(found, 1));
  }
  return [...ordered, ...rest];
}
