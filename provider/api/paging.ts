import { BadAnswerError, isApiError } from "../errors";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined if the service told no cursor. */
  readonly cursor: string | undefined;
}

/** Most pages of one list: far beyond any real one, so that a service whose pages never end cannot block the run. */
const MAX_PAGES = 100_000;

const LOOK = "Check that keyplane:baseUrl is the address of the API, and that no proxy intercepts it.";

/** Items per page, tried from the largest on; `undefined` leaves it to the service. */
export class PageSize {
  #at = 0;

  constructor(private readonly steps: readonly (number | undefined)[]) {}

  get value(): number | undefined {
    return this.steps[this.#at];
  }

  /** Goes on to the next smaller size, for this and all later lists; false if there is none. */
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
  /** Fewer items per page than the list's own size, where few are needed. */
  readonly atMost?: number | undefined;
  readonly idOf: (item: T) => string;
  readonly fetch: (cursor: string | undefined, limit: number | undefined) => Promise<P>;
  /** A cursor that repeats the last item and what could hide beside it; undefined where there is none. */
  readonly overlap?: (cursor: string, last: T) => string | undefined;
}

/**
 * Reads pages, in order, holding one at a time, without items that the pages just before have already shown.
 * It ends with an empty page, one without a new item, one without a cursor, or a short one whose cursor leads to
 * itself: the services disagree on how a list ends, and a short page alone proves nothing. A full page whose cursor
 * leads to itself, or a cursor that comes back later, is an error: the list would be cut without a word.
 */
export async function* paginate<T, P extends Page<T>>(paging: Paging<T, P>): AsyncGenerator<P, void, undefined> {
  const { idOf, route, overlap } = paging;
  const cursors = new Set<string>();
  /** The cursor that the last page told, and the one that is sent for it. */
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
      // Nothing but what was born together fits on the page: only the cursor as it was told leads past it.
      sent = told;
      before = new Set([...before, ...here]);
      continue;
    }
    if (items.length === 0 && isFull && atMost !== undefined && atMost < (paging.size.value ?? 0)) {
      // The same on a service that repeats them: only a larger page leads past.
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
      // What a service allows as page size is not documented: a refusal of the largest is an invitation to ask for less.
      const refused = isApiError(error) && (error.status === 400 || error.status === 422);
      if (!refused || limit !== size.value || !size.shrink()) throw error;
    }
  }
}
