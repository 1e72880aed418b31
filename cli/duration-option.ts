import { InvalidArgumentError, Option } from "commander";
import { DURATION_FORM, parseDuration } from "../provider/duration";

/** Parses an age. Returns milliseconds. */
export function readAge(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`);
  return ms;
}

/** The option for the age at which an unused key is flagged. */
export function unusedForOption(): Option {
  const option = new Option("--unused-for <age>", "flags keys that were not used for this long");
  return option.argParser(readAge).default(readAge("90d"), "90d");
}
