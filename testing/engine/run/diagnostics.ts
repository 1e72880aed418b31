/** Emits messages of a run as events, with values of secret configuration masked. */
import type { EngineEventBody, Severity } from "./events";
import { SECRET_MARK } from "./events";

/** Shorter texts are not masked, because they match by chance: `1` is in every message. */
const SHORTEST_MASKED = 3;

/** Collects messages. An empty URN means the whole stack. */
export class Diagnostics {
  private readonly secrets: readonly string[];
  /** Number of errors. */
  errors = 0;

  constructor(
    private readonly emit: (event: EngineEventBody) => void,
    secrets: readonly string[],
  ) {
    this.secrets = secrets.filter((secret) => secret.length >= SHORTEST_MASKED).sort((a, b) => b.length - a.length);
  }

  error(urn: string, message: string): void {
    this.errors++;
    this.report("error", urn, message);
  }

  warning(urn: string, message: string): void {
    this.report("warning", urn, message);
  }

  info(urn: string, message: string): void {
    this.report("info", urn, message);
  }

  /** Reports a message. An ephemeral message is shown only while its resource is in progress. */
  report(severity: Severity, urn: string, message: string, ephemeral = false, streamID = 0): void {
    const known = { message: this.masked(message), severity, color: "raw" };
    this.emit({ diagnosticEvent: { urn, ...known, prefix: prefixOf(severity), streamID, ephemeral } });
  }

  /** Masks values of secret configuration in a text. */
  masked(text: string): string {
    return this.secrets.reduce((masked, secret) => masked.replaceAll(secret, SECRET_MARK), text);
  }
}

function prefixOf(severity: Severity): string {
  return severity === "info#err" || severity === "info" ? "" : `${severity}: `;
}

/** An error that was already reported. It ends the run without another message. */
export class BailError extends Error {
  override readonly name = "BailError";
}
