/** The code of a transport error, or else its name. Never its message, which may quote what was sent. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // If several addresses were tried, the error contains one error for each.
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = (inner as { code?: unknown }).code ?? (error as { code?: unknown }).code;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : error.name;
}
