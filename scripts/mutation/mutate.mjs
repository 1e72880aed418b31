/** Removes the mutant's protection from the source. Throws unless it occurs exactly once. */
export function mutate(code, { name, find, replace }) {
  const parts = code.split(find);
  if (parts.length !== 2) throw new Error(`mutant "${name}": its text occurs ${parts.length - 1} times in the source`);
  return parts.join(replace);
}
