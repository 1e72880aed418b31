/** What this engine does not do. */

/** Something the real engine does and this one does not: said by name, so that nothing is ignored in silence. */
export class NotSupportedError extends Error {
  override readonly name = "NotSupportedError";

  constructor(
    /** What was asked for, such as `the resource option import`. */
    what: string,
  ) {
    super(`${what} is not supported by the embedded engine: use the Pulumi CLI`);
  }
}
