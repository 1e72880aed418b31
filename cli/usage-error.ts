/** A command line that cannot be understood: the message says what is wrong with it, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
