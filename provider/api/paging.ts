import { BadAnswerError, isApiError } from "../errors";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page begins; undefined if the service told no cursor. */
  readonly cursor: string | undefined;
}

/** Most pages of one list: far beyond any real one, so that a service that never ends cannot hold us for ever. */
const MAX_PAGES = 100_000;

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
}

/**
 * Reads pages, in order, holding one at a time, without items that the page before has already shown.
 * It ends with an empty page, one without a new item, one without a cursor, or one whose cursor leads to itself: the
 * services disagree on how a list ends, and a short page proves nothing. A cursor that comes back later is an error.
 */
export async function* paginate<T, P extends Page<T>>(paging: Paging<T, P>): AsyncGenerator<P, void, undefined> {
  const { idOf, route } = paging;
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let before: ReadonlySet<string> = new Set();
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await fetchPage(paging, cursor);
    const here = new Set<string>();
    const items = page.items.filter((each) => {
      const id = idOf(each);
      const isNew = !before.has(id) && !here.has(id);
      here.add(id);
      return isNew;
    });
    if (items.length === 0) {
      if (pages === 0) yield page;
      return;
    }
    yield items.length === page.items.length ? page : { ...page, items };
    if (page.cursor === undefined || page.cursor === cursor) return;
    if (cursors.has(page.cursor)) {
      throw new BadAnswerError(`${route} leads in a circle: a cursor came back after ${pages + 1} pages`, { route });
    }
    cursors.add(page.cursor);
    cursor = page.cursor;
    before = here;
  }
  throw new BadAnswerError(`${route} does not end: gave up after ${MAX_PAGES} pages`, { route });
}

async function fetchPage<T, P extends Page<T>>(paging: Paging<T, P>, cursor: string | undefined): Promise<P> {
  const { size, atMost } = paging;
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
