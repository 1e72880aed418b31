/** Waits for the next second. The history of a stack has whole seconds, so keyplane cannot tell two runs in one apart. */
export async function nextSecond(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_000 - new Date().getMilliseconds()));
}
