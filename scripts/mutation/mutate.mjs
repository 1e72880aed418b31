import { placesOf } from "./operators.mjs";

/** Removes the mutant's protection from the source. Throws unless its place is found exactly once. */
export function mutate(code, { name, change }) {
  const places = placesOf(code, change);
  if (places.length !== 1) throw new Error(`mutant "${name}": its place is found ${places.length} times in the source`);
  const [{ start, end, text }] = places;
  return code.slice(0, start) + text + code.slice(end);
}
