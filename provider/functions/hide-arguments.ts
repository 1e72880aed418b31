import type { Members } from "../members";

/** Shorter texts are words and numbers of any message. */
const MIN_LENGTH = 4;

/** Replaces the values of arguments in a message by the arguments' names, because a value can be a secret. */
export function hideArguments(message: string, args: Members): string {
  const known = Object.entries(args).flatMap(([name, value]) => {
    const texts = [value].flat().filter((text) => typeof text === "string");
    return texts.flatMap((text) => (text.length < MIN_LENGTH ? [] : [{ name, text }]));
  });
  // A short value can be a part of a longer one.
  known.sort((one, other) => other.text.length - one.text.length);
  return known.reduce((rest, { name, text }) => rest.replaceAll(text, `[${name}]`), message);
}
