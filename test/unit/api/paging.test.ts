import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { PageSize, paginate } from "../../../provider/api/paging";
import { ApiError } from "../../../provider/errors";

/** Reads a list whose pages have one new item each. Returns the pages that were requested. */
async function read(cursorAfter: (page: number) => string | undefined, onPage = (_page: number) => {}) {
  let pages = 0;
  const fetch = async () => {
    pages++;
    onPage(pages);
    return { items: [String(pages)], cursor: cursorAfter(pages) };
  };
  const list = paginate({ route: "GET /list", size: new PageSize([undefined]), idOf: (item: string) => item, fetch });
  try {
    for await (const _ of list);
  } catch (error) {
    return { pages, error };
  }
  return { pages, error: undefined };
}

describe("the pages of a list", () => {
  for (const [before, length] of [
    [0, 2],
    [1, 2],
    [5, 3],
    [100, 1_000],
  ] as const) {
    test(`fail soon if their cursors become a circle of ${length} after ${before} others`, async () => {
      const cursorAfter = (page: number) => `c${page <= before ? page : before + ((page - before) % length)}`;
      const { pages, error } = await read(cursorAfter);
      expect(error).toMatchObject({ kind: "bad_answer", message: expect.stringContaining("a cursor again") });
      expect(pages).toBeLessThanOrEqual(3 * (before + length));
    });
  }

  test("need no memory for the cursors of former pages", async () => {
    setFlagsFromString("--expose_gc");
    const collect: () => void = runInNewContext("gc");
    const used: number[] = [];
    const measure = (page: number) => {
      if (page !== 10 && page !== 5_000) return;
      collect();
      used.push(process.memoryUsage().heapUsed);
    };
    // Together, they are 100 MB.
    const cursorAfter = (page: number) =>
      page < 5_000 ? Buffer.alloc(20_000, `${page} `).toString("latin1") : undefined;
    expect(await read(cursorAfter, measure)).toMatchObject({ pages: 5_000 });
    const [before = 0, after = 0] = used;
    expect(after - before).toBeLessThan(20_000_000);
  });

  test("end with an error, however many there are", async () => {
    const { pages, error } = await read(String);
    expect(error).toMatchObject({ kind: "bad_answer", message: expect.stringContaining("more than 100000 pages") });
    expect(pages).toBe(100_000);
  });
});

describe("a page that the service refuses", () => {
  const refused = (message: string) =>
    new ApiError("api", `GET /list returned 400 (${message})`, { status: 400, route: "GET /list" }, message);

  /** The page sizes that are requested from a service that accepts at most ten items, and refuses with this message. */
  async function sizesFor(message: string) {
    const sizes: (number | undefined)[] = [];
    const fetch = async (_cursor: string | undefined, limit: number | undefined) => {
      sizes.push(limit);
      if (limit !== undefined && limit > 10) throw refused(message);
      return { items: [], cursor: undefined };
    };
    const size = new PageSize([400, 100, 10, undefined]);
    const list = paginate({ route: "GET /list", size, idOf: (item: string) => item, fetch });
    try {
      for await (const _ of list);
    } catch {}
    return sizes;
  }

  test.each([
    "limit must be at most 10",
    "page size too large",
    "value out of range",
    "Bad Request",
    "invalid query",
    "",
  ])("is requested with a smaller size if the message can be about the size: %j", async (message) => {
    expect(await sizesFor(message)).toEqual([400, 100, 10]);
  });

  test.each([
    "org_id is required, you can find it on your organization settings page",
    "cursor is not valid",
    "not an organization member",
    "search must be text",
  ])("is not requested again if the message is about something else: %j", async (message) => {
    expect(await sizesFor(message)).toEqual([400]);
  });
});
