/** The source without the mutant's protection. Throws where the protection is not found in it, exactly once. */
export function mutate(code, { name, find, replace }) {
  const parts = code.split(find);
  if (parts.length !== 2) throw new Error(`mutant "${name}": its text stands in the source ${parts.length - 1} times`);
  return parts.join(replace);
}
