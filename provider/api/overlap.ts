const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{1,9})Z$/;

/**
 * The cursor of the page after an item, moved so little into the past of the list that whatever was born in the same
 * moment as the item comes (again). A service that pages by the moment alone would leave out what stands behind a
 * page's border with the same one. Undefined where the cursor is not the item's time with fractions of a second.
 */
export function overlapping(cursor: string, createdAt: string): string | undefined {
  const [, seconds, fraction] = TIMESTAMP.exec(cursor) ?? [];
  if (seconds === undefined || fraction === undefined || !createdAt.startsWith(seconds)) return undefined;
  const later = String(Number(fraction) + 1).padStart(fraction.length, "0");
  // A carry into the seconds is not worth its code: that cursor goes back as it came.
  return later.length > fraction.length ? undefined : `${seconds}.${later}Z`;
}
