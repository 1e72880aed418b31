/** The error for features that this engine does not support. */

/**
 * A feature of the real engine that this engine does not support. It is reported, so that nothing is silently ignored.
 */
export class NotSupportedError extends Error {
  override readonly name = "NotSupportedError";

  constructor(
    /** The requested feature, such as `the resource option import`. */
    what: string,
  ) {
    super(`the embedded engine does not support ${what}: use the Pulumi CLI, for example with \`npx pulumi up\``);
  }
}
