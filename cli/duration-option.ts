import { InvalidArgumentError } from "commander";
import { DURATION_FORM, MAX_TIMER_MS, parseDuration, TIMER_FORM } from "../provider/duration";

export interface Age {
  /** The original text, such as `90d`. */
  readonly text: string;
  readonly ms: number;
}

export function readAge(text: string): Age {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`);
  return { text, ms };
}

/** The default age at which an unused key is flagged. */
export const UNUSED_FOR = readAge("90d");

/** Parses a timeout. Returns milliseconds. */
export function readWait(text: string): number {
  const ms = parseDuration(text, MAX_TIMER_MS);
  if (ms === undefined) throw new InvalidArgumentError(`It must be ${TIMER_FORM}.`);
  return ms;
}
