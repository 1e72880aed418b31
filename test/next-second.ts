/**
 * Waits until a second is over. The history of a stack has whole seconds, so keyplane cannot tell two runs in one apart.
 * @param of - A time in that second. @default now
 */
export async function nextSecond(of = Date.now()): Promise<void> {
  const left = 1_000 - (of % 1_000) - (Date.now() - of);
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}
