import { InvalidArgumentError } from "commander";
import { DURATION_FORM, MAX_TIMER_MS, parseDuration } from "../provider/duration";

/** An age given on the command line. */
export interface Age {
  /** As it was given, e.g. `90d`. */
  readonly text: string;
  readonly ms: number;
}

/** Reads an age. */
export function readAge(text: string): Age {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`);
  return { text, ms };
}

/** Reads the length of a wait, in milliseconds. */
export function readWait(text: string): number {
  const { ms } = readAge(text);
  if (ms > MAX_TIMER_MS) throw new InvalidArgumentError("No timer can hold more than 24 days.");
  return ms;
}
