import { CONCURRENCY } from "./task";

/**
 * Runs a limited number of concurrent calls, as an engine does with `--parallel`. Starts the next call when one ends.
 */
export async function inFlight<T, R>(
  items: readonly T[],
  call: (item: T, at: number) => R | Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const serve = async () => {
    for (const [at, item] of left) results[at] = await call(item, at);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, serve));
  return results;
}
