import { BadAnswerError, isApiError } from "../errors";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined if the service sent no cursor. */
  readonly cursor: string | undefined;
}

/** Maximum pages of one list: far more than any real list has, so that endless pages cannot block the run. */
const MAX_PAGES = 100_000;

const LOOK = "Check that keyplane:baseUrl is the address of the API, and that no proxy intercepts it.";

/** Items per page, tried from the largest size. `undefined` leaves the size to the service. */
export class PageSize {
  #at = 0;

  constructor(private readonly steps: readonly (number | undefined)[]) {}

  get value(): number | undefined {
    return this.steps[this.#at];
  }

  /** Switches to the next smaller size, for this and all later lists. Returns false if there is none. */
  shrink(): boolean {
    if (this.#at + 1 >= this.steps.length) return false;
    this.#at++;
    return true;
  }
}

/** How a list is read page by page. */
export interface Paging<T, P extends Page<T>> {
  readonly route: string;
  readonly size: PageSize;
  /** Maximum items per page, if the caller needs fewer than the list's own size. */
  readonly atMost?: number | undefined;
  readonly idOf: (item: T) => string;
  readonly fetch: (cursor: string | undefined, limit: number | undefined) => Promise<P>;
  /** A cursor that repeats the last item and others with its timestamp; undefined if there is none. */
  readonly overlap?: (cursor: string, last: T) => string | undefined;
}

/**
 * Reads pages in order and holds one at a time. Skips items that the preceding pages contained.
 * The list ends with an empty page, one without a new item, one without a cursor, or a short page whose cursor leads to
 * itself: services end lists in different ways, and a short page alone proves nothing. A full page whose cursor leads
 * to itself, or a cursor that returns later, is an error, because the list would be silently truncated.
 */
export async function* paginate<T, P extends Page<T>>(paging: Paging<T, P>): AsyncGenerator<P, void, undefined> {
  const { idOf, route, overlap } = paging;
  const cursors = new Set<string>();
  /** The cursor of the last page, and the one that is sent for it. */
  let told: string | undefined;
  let sent: string | undefined;
  let before: ReadonlySet<string> = new Set();
  let largest = 1;
  let { atMost } = paging;
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const page = await fetchPage(paging, sent, atMost);
    const here = new Set<string>();
    const items = page.items.filter((each) => {
      const id = idOf(each);
      const isNew = !before.has(id) && !here.has(id);
      here.add(id);
      return isNew;
    });
    const isFull = page.items.length >= largest;
    largest = Math.max(largest, page.items.length);
    if (items.length > 0 || pages === 1) yield items.length === page.items.length ? page : { ...page, items };
    const stuck = items.length === 0 || page.cursor === told || page.cursor === sent;
    if (stuck && sent !== told && isFull) {
      // All items of the page have the same timestamp: only the service's own cursor leads past them.
      sent = told;
      before = new Set([...before, ...here]);
      continue;
    }
    if (items.length === 0 && isFull && atMost !== undefined && atMost < (paging.size.value ?? 0)) {
      // The same on a service that repeats such items: only a larger page leads past them.
      atMost *= 2;
      continue;
    }
    if (items.length === 0 || page.cursor === undefined || (stuck && !isFull)) return;
    if (stuck || cursors.has(page.cursor)) {
      throw new BadAnswerError(`${route} repeats its pages: a cursor came back after ${pages} pages. ${LOOK}`, {
        route,
      });
    }
    cursors.add(page.cursor);
    told = page.cursor;
    const last = page.items.at(-1);
    sent = (last === undefined ? undefined : overlap?.(told, last)) ?? told;
    before = here;
  }
  throw new BadAnswerError(`${route} has more than ${MAX_PAGES} pages. ${LOOK}`, { route });
}

async function fetchPage<T, P extends Page<T>>(
  paging: Paging<T, P>,
  cursor: string | undefined,
  atMost: number | undefined,
): Promise<P> {
  const { size } = paging;
  for (;;) {
    const limit = size.value === undefined ? undefined : Math.min(size.value, atMost ?? size.value);
    try {
      return await paging.fetch(cursor, limit);
    } catch (error) {
      // The maximum page size is not documented, so a refusal of the largest size leads to a smaller one.
      const refused = isApiError(error) && (error.status === 400 || error.status === 422);
      if (!refused || limit !== size.value || !size.shrink()) throw error;
    }
  }
}
