import type { ApiKeyRecord } from "../../provider/api";
import { readTime } from "./iso-time";
import type { KeyEvent } from "./report-data";
import type { KeyDates } from "./state-keys";

/** What is known about a key's life, in order of time. Times that are not valid are left out. */
export function keyEvents(
  record: ApiKeyRecord | undefined,
  dates: KeyDates,
  { expiresAt, goneAt }: { readonly expiresAt: string | undefined; readonly goneAt: string | undefined },
): KeyEvent[] {
  const times: readonly (readonly [KeyEvent["what"], unknown])[] = [
    ["created", record?.createdAt ?? dates.createdAt],
    ["delivered", dates.deliveredAt],
    ["used", record?.lastUsedAt],
    ["rotated", dates.rotatedAt],
    ["grace ends", dates.revokeAfter],
    ["rotation due", dates.rotateAt],
    ["deadline", expiresAt],
    ["gone", goneAt],
  ];
  const known = times.flatMap(([what, time]) => {
    const at = readTime(time);
    return at === undefined ? [] : [{ what, at }];
  });
  return known.toSorted((one, other) => one.at.localeCompare(other.at));
}
