import { CONCURRENCY } from "./task";

/** As an engine does under `--parallel`: so many calls at a time, each place taken again as soon as it is free. */
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
