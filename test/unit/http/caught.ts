/** The error with which the promise rejects. */
export async function caught<E extends Error = Error>(promise: Promise<unknown>): Promise<E> {
  try {
    await promise;
  } catch (error) {
    return error as E;
  }
  throw new Error("expected a failure, but it succeeded");
}
