/** Messages of a run, as events. Values of secret configuration are masked in them. */
import type { EngineEventBody, Severity } from "./events";
import { SECRET_MARK } from "./events";

/** Masking shorter texts would hide more than it protects: `1` is in every message. */
const SHORTEST_MASKED = 3;

/** Where messages go. An empty URN means the stack as a whole. */
export class Diagnostics {
  private readonly secrets: readonly string[];
  /** How many errors there were. */
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

  /** Reports a message. An ephemeral one is shown only while its resource is worked on. */
  report(severity: Severity, urn: string, message: string, ephemeral = false, streamID = 0): void {
    const known = { message: this.masked(message), severity, color: "raw" };
    this.emit({ diagnosticEvent: { urn, ...known, prefix: prefixOf(severity), streamID, ephemeral } });
  }

  /** A text with the values of secret configuration masked. */
  masked(text: string): string {
    return this.secrets.reduce((masked, secret) => masked.replaceAll(secret, SECRET_MARK), text);
  }
}

function prefixOf(severity: Severity): string {
  return severity === "info#err" || severity === "info" ? "" : `${severity}: `;
}

/** An error that has been reported already: it ends the run, and says nothing more. */
export class BailError extends Error {
  override readonly name = "BailError";
}
