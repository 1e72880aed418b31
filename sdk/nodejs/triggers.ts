/** Kinds of values that Pulumi records without their content. */
const LOST = /^(?:BigInt|Date|Map|RegExp|Set|Symbol|URL|\w*Function)$/;

/** What is wrong with a trigger whose changes would not show. What only the run knows is not looked at. */
export function valueLostIn(value: unknown, path: string): string | undefined {
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (LOST.test(kind)) {
    return (
      `${path} is a ${kind}, which Pulumi records without its content, so that no change of it would show. Pass a text ` +
      "instead, such as toISOString() of a date"
    );
  }
  if (!isPlain(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = valueLostIn(member, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a value is an array or an object literal. Others, such as outputs, can refer to themselves. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
