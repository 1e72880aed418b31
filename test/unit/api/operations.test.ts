import { afterEach, describe, expect, test } from "vitest";
import type { Operation } from "../../../provider/api";
import { GET_OPERATION, LIST_OPERATIONS } from "../../routes";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

/** A project with this many operations, which were created one after the other. */
async function startWithOperations(count: number, gapMs = 1000) {
  const setup = await startAccount();
  const { id: projectId } = await setup.plane.state.createProject();
  // The operations of the project's creation are the oldest.
  await setup.plane.clock.advance(60_000);
  const { ids } = await setup.plane.state.startOperations({ projectId, count, gapMs });
  const read = async (filter: Parameters<typeof setup.account.operations.pages>[1] = {}) => {
    const pages: Operation[][] = [];
    for await (const page of setup.account.operations.pages(projectId, filter)) pages.push(page);
    return pages;
  };
  const requests = () => setup.plane.count("GET", "/projects/{project_id}/operations");
  return { ...setup, projectId, ids: [...ids].reverse(), read, requests };
}

const idsOf = (pages: readonly Operation[][]) => pages.flat().map((each) => each.id);

describe("listing operations", () => {
  test("returns all operations, newest first, with one request more than there are pages", async () => {
    const { read, ids, requests } = await startWithOperations(25);
    const pages = await read({ pageSize: 10 });
    expect(idsOf(pages).slice(0, 25)).toEqual(ids);
    expect(new Set(idsOf(pages)).size).toBe(idsOf(pages).length);
    expect(await requests()).toBe(pages.length + 1);
  });

  for (const tiedOperations of ["unique", "skipped", "repeated"] as const) {
    for (const pageSize of [2, 3, 7]) {
      test(`neither loses nor repeats operations with the same time if the service's ties are ${tiedOperations} (${pageSize} a page)`, async () => {
        const { plane, projectId, read, ids } = await startWithOperations(4, 1000);
        for (let pairs = 0; pairs < 3; pairs++) {
          await plane.clock.advance(100);
          const { ids: twins } = await plane.state.startOperations({ projectId, count: 2, gapMs: 0 });
          ids.unshift(...[...twins].reverse());
        }
        await plane.state.switch({ tiedOperations });
        const found = idsOf(await read({ pageSize }));
        expect(new Set(found).size).toBe(found.length);
        expect([...found].slice(0, 10).sort()).toEqual([...ids].sort());
      });
    }
  }

  test("ends at a page without a cursor, which saves a request", async () => {
    const { plane, read, requests } = await startWithOperations(5);
    await plane.state.switch({ cursorOnLastPage: false });
    expect((await read({ pageSize: 100 })).length).toBe(1);
    expect(await requests()).toBe(1);
  });

  test("ends at an empty page", async () => {
    const { plane, read, requests } = await startWithOperations(30);
    await plane.rules.add({ route: LIST_OPERATIONS, skip: 1, page: "empty" });
    expect(idsOf(await read({ pageSize: 10 }))).toHaveLength(10);
    expect(await requests()).toBe(2);
  });

  test("fails if a full page leads to itself, and does not silently cut the list", async () => {
    const { plane, read } = await startWithOperations(30);
    await plane.rules.add({ route: LIST_OPERATIONS, skip: 1, count: null, page: "repeated-cursor" });
    expect(await caught(read({ pageSize: 10 }))).toMatchObject({ kind: "bad_answer" });
  });

  test("returns nothing twice if new operations start during the listing", async () => {
    const { account, plane, projectId } = await startWithOperations(30);
    const found: string[] = [];
    for await (const page of account.operations.pages(projectId, { pageSize: 7 })) {
      found.push(...page.map((each) => each.id));
      await plane.state.startOperations({ projectId, count: 3 });
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeGreaterThanOrEqual(30);
  });

  test("requests smaller pages if the service refuses the page size, and remembers the size", async () => {
    const { plane, read, requests } = await startWithOperations(5);
    await plane.state.switch({ cursorOnLastPage: false });
    await plane.rules.add({
      route: LIST_OPERATIONS,
      status: 400,
      body: { code: "", message: "limit must be at most 100" },
    });
    expect(idsOf(await read())).not.toHaveLength(0);
    await read();
    expect(await requests()).toBe(3);
    const asked = (await plane.log()).map((each) => new URLSearchParams(each.query).get("limit"));
    expect(asked).toEqual(["1000", "100", "100"]);
  });

  test("reads no more pages than the limit or the requested time needs", async () => {
    const { read, ids, requests } = await startWithOperations(30);
    expect(idsOf(await read({ limit: 3 }))).toEqual(ids.slice(0, 3));
    expect(await requests()).toBe(1);
    const [all] = await read({ limit: 12 });
    const since = all?.[4]?.createdAt ?? "";
    expect(idsOf(await read({ since, pageSize: 10 })).slice(0, 5)).toEqual(ids.slice(0, 5));
    expect(await requests()).toBe(3);
  });

  test("filters by status and kind", async () => {
    const { plane, read, projectId } = await startWithOperations(3);
    await plane.state.startOperations({ projectId, action: "delete_tenant", runningMs: null });
    const tenants = (await read({ action: ["delete_tenant"] })).flat();
    expect(tenants.map((each) => each.action)).toEqual(["delete_tenant"]);
    expect((await read({ status: "no-such-status" })).flat()).toEqual([]);
  });

  test("stops in the middle if it is cancelled", async () => {
    const { account, projectId, requests } = await startWithOperations(30);
    const controller = new AbortController();
    const reading = async () => {
      for await (const _ of account.operations.pages(projectId, { pageSize: 5, signal: controller.signal })) {
        controller.abort();
      }
    };
    expect((await caught(reading())).name).toBe("AbortedError");
    expect(await requests()).toBe(1);
  });

  test("reads a single operation, and distinguishes an unknown one from an invalid answer", async () => {
    const { account, plane, projectId, ids } = await startWithOperations(1);
    const [id = ""] = ids;
    expect(await account.operations.get(projectId, id)).toMatchObject({ id, projectId });
    const unknown = "00000000-0000-4000-8000-000000000000";
    expect(await caught(account.operations.get(projectId, unknown))).toMatchObject({ kind: "not_found" });
    await plane.rules.add({
      route: GET_OPERATION,
      patch: { operation: null },
    });
    expect(await caught(account.operations.get(projectId, id))).toMatchObject({ kind: "bad_answer" });
  });

  for (const id of ["", ".", "..", "a/b", "a?b", "a b", "é", "%2e%2e", "x".repeat(200)]) {
    test(`refuses the project id ${JSON.stringify(id.slice(0, 10))} before any request`, async () => {
      const { account, plane } = await startAccount();
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect(await caught(account.operations.get(id, unknown))).toMatchObject({ kind: "input" });
      expect(await caught(account.operations.waitUntilIdle(id))).toMatchObject({ kind: "input" });
      expect(await plane.count()).toBe(0);
    });
  }
});
