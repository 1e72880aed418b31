import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { PageSize, paginate } from "../../../provider/api/paging";

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
    it(`fail soon if their cursors become a circle of ${length} after ${before} others`, async () => {
      const cursorAfter = (page: number) => `c${page <= before ? page : before + ((page - before) % length)}`;
      const { pages, error } = await read(cursorAfter);
      expect(error).toMatchObject({ kind: "bad_answer", message: expect.stringContaining("a cursor again") });
      expect(pages).toBeLessThanOrEqual(3 * (before + length));
    });
  }

  it("need no memory for the cursors of former pages", async () => {
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

  it("end with an error, however many there are", async () => {
    const { pages, error } = await read(String);
    expect(error).toMatchObject({ kind: "bad_answer", message: expect.stringContaining("more than 100000 pages") });
    expect(pages).toBe(100_000);
  });
});
