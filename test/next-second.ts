/** Waits for the next second. The history of a stack has whole seconds, so keyplane cannot tell two runs in one apart. */
export async function nextSecond(): Promise<void> {
  const second = () => Math.floor(Date.now() / 1_000);
  const first = second();
  // A timer can end some milliseconds early.
  while (second() === first) await new Promise((resolve) => setTimeout(resolve, 1_001 - new Date().getMilliseconds()));
}
