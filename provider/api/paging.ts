import { BadAnswerError, isApiError } from "../errors";
import { counted } from "../text";

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

const ABOUT_LIMIT = /limit|page size|maxim|at most|exceed|range|greater|less|too /i;
/** Messages that do not say what is wrong. */
const ABOUT_ANYTHING =
  /^(bad request|invalid (request|query|parameters?|arguments?)|validation (error|failed)|unprocessable entity)?\.?$/i;

/** Whether an error can be the refusal of a page size. Any other refusal would only be repeated with smaller pages. */
function canBeAboutLimit(error: unknown): boolean {
  if (!isApiError(error) || (error.status !== 400 && error.status !== 422)) return false;
  return ABOUT_LIMIT.test(error.serviceMessage) || ABOUT_ANYTHING.test(error.serviceMessage);
}

interface Paging<T, P extends Page<T>> {
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
  const position = new Position(paging);
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const page = await position.fetch();
    const items = position.newIn(page);
    if (items.length > 0 || pages === 1) yield items.length === page.items.length ? page : { ...page, items };
    if (!position.advance(page, { hasNew: items.length > 0, pages })) return;
  }
  throw new BadAnswerError(`${paging.route} has more than ${MAX_PAGES} pages. ${LOOK}`, { route: paging.route });
}

/** Where the reading of a list is, and what the last pages contained. */
class Position<T, P extends Page<T>> {
  /** The cursor to send for the next page: the service's own, or one that overlaps with the last page. */
  #cursor: string | undefined;
  #atMost: number | undefined;
  /** The cursor that the service sent with the last page. */
  #own: string | undefined;
  /** A former cursor. A circle leads back to it, because it moves on when the pages have doubled (Brent's algorithm). */
  #mark: string | undefined;
  #nextMark = 1;
  #known: ReadonlySet<string> = new Set();
  #largest = 1;

  constructor(private readonly paging: Paging<T, P>) {
    this.#atMost = paging.atMost;
  }

  /** Requests the page that begins here. */
  async fetch(): Promise<P> {
    const { size, fetch } = this.paging;
    for (;;) {
      const limit = size.value === undefined ? undefined : Math.min(size.value, this.#atMost ?? size.value);
      try {
        return await fetch(this.#cursor, limit);
      } catch (error) {
        // The maximum page size is not documented, so a refusal of the largest size leads to a smaller one.
        if (!canBeAboutLimit(error) || limit !== size.value || !size.shrink()) throw error;
      }
    }
  }

  /** The items of a page that the preceding pages did not contain. */
  newIn(page: P): readonly T[] {
    const here = new Set<string>();
    return page.items.filter((each) => {
      const id = this.paging.idOf(each);
      const isNew = !this.#known.has(id) && !here.has(id);
      here.add(id);
      return isNew;
    });
  }

  /** Moves on to the page after this one. Returns false if the list ends here. */
  advance(page: P, { hasNew, pages }: { readonly hasNew: boolean; readonly pages: number }): boolean {
    const isFull = page.items.length >= this.#largest;
    this.#largest = Math.max(this.#largest, page.items.length);
    const isStuck = !hasNew || page.cursor === this.#own || page.cursor === this.#cursor;
    if (isStuck && isFull && this.#leaveOverlap(page)) return true;
    if (!hasNew && isFull && this.#enlarge()) return true;
    if (!hasNew || page.cursor === undefined || (isStuck && !isFull)) return false;
    if (isStuck || page.cursor === this.#mark) {
      const { route } = this.paging;
      throw new BadAnswerError(
        `${route} repeats its pages: after ${counted(pages, "page")}, it returned a cursor again. ${LOOK}`,
        { route },
      );
    }
    this.#follow(page.cursor, page);
    if (pages < this.#nextMark) return true;
    this.#mark = page.cursor;
    this.#nextMark = 2 * pages;
    return true;
  }

  /** All items of the page have the same timestamp: only the service's own cursor leads past them. */
  #leaveOverlap(page: P): boolean {
    if (this.#cursor === this.#own) return false;
    this.#cursor = this.#own;
    this.#known = new Set([...this.#known, ...this.#idsOf(page)]);
    return true;
  }

  /** The same on a service that repeats such items: only a larger page leads past them. */
  #enlarge(): boolean {
    if (this.#atMost === undefined || this.#atMost >= (this.paging.size.value ?? 0)) return false;
    this.#atMost *= 2;
    return true;
  }

  #follow(cursor: string, page: P): void {
    const last = page.items.at(-1);
    this.#own = cursor;
    this.#cursor = (last === undefined ? undefined : this.paging.overlap?.(cursor, last)) ?? cursor;
    this.#known = this.#idsOf(page);
  }

  #idsOf(page: P): ReadonlySet<string> {
    return new Set(page.items.map(this.paging.idOf));
  }
}
