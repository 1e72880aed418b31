import { KeyplaneError } from "../errors";

/** Maximum size of all pages of one list, in characters: about 300 000 projects. */
const MAX_CHARACTERS = 200_000_000;
/** Added for each record, in characters, for its memory beyond its texts. */
const RECORD_CHARACTERS = 500;

/** Limits the total size of the pages of one list, for callers that keep all of them. */
export class Collected {
  #characters = 0;

  constructor(private readonly route: string) {}

  /** Returns the entries of the next page. Throws if all pages together are too large to keep in memory. */
  take<T extends object | string>(entries: readonly T[]): readonly T[] {
    for (const entry of entries) this.#characters += sizeOf(entry);
    if (this.#characters > MAX_CHARACTERS) throw tooLong(this.route);
    return entries;
  }
}

function sizeOf(entry: object | string): number {
  if (typeof entry === "string") return entry.length;
  let size = RECORD_CHARACTERS;
  for (const each of Object.values(entry)) if (typeof each === "string") size += each.length;
  return size;
}

function tooLong(route: string): KeyplaneError {
  return new KeyplaneError(
    "KP-LIST-TOO-LONG",
    `${route} returned more than ${MAX_CHARACTERS / 1_000_000} MB of entries, which is the limit. Request fewer: limit ` +
      "operations with `since` or `limit`, or read them page by page with `listOperations`. If the list should be shorter, " +
      "check that keyplane:baseUrl is the address of the service's API",
    { route },
  );
}
