import type { DiagnosticRow } from "./case";

// What a message must contain: the words of the program or the provider, or what the engine found.
const CAUSES: readonly RegExp[] = [
  /v is not acceptable/,
  /\S+ cannot be (?:created|updated)/,
  /(?<!")\b\S+ cannot be deleted(?!\s*because)/,
  /\S+ is not ready/,
  /the world cannot be read/,
  /protected/,
  /interrupted while \w+/,
  /pending operations/,
  /update failed/,
  /[Dd]uplicate resource URN/,
  /no changes were expected/,
  /(?<=\n\w*Error: ).+/,
];

/** The causes that a message names. The message that it is compared with must name all of them. */
export function causesIn(message: string): string[] {
  return CAUSES.flatMap((cause) => cause.exec(message)?.[0] ?? []);
}

/** A diagnostic, with the recorded message if its own message names the same causes. */
export function wordedAs(recorded: readonly DiagnosticRow[], row: DiagnosticRow): DiagnosticRow {
  const twin = recorded.find(
    ({ severity, urn, message }) =>
      severity === row.severity && urn === row.urn && causesIn(message).every((cause) => row.message.includes(cause)),
  );
  return twin ?? row;
}
