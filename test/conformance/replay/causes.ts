import type { DiagnosticRow } from "./case";

// What a message must name, whatever else it says: the words of the program or the provider, or what the engine found.
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

/** The causes a message names; all of them must be in the message it is compared with. */
export function causesIn(message: string): string[] {
  return CAUSES.flatMap((cause) => cause.exec(message)?.[0] ?? []);
}

/** A diagnostic with its message as the recorded one has it, where it names the same causes. */
export function wordedAs(recorded: readonly DiagnosticRow[], row: DiagnosticRow): DiagnosticRow {
  const twin = recorded.find(
    ({ severity, urn, message }) =>
      severity === row.severity && urn === row.urn && causesIn(message).every((cause) => row.message.includes(cause)),
  );
  return twin ?? row;
}
