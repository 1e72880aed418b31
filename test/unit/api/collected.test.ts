import { describe, expect, test } from "vitest";
import { type Account, Collected, type Project } from "../../../provider/api";
import { Operations } from "../../../provider/api/operations/operations";
import { Projects } from "../../../provider/api/projects/projects";
import { getOperations } from "../../../provider/functions";
import { type HttpClient, systemClock } from "../../../provider/http";
import { LIST_OPERATIONS, PROJECTS } from "../../routes";
import { caught } from "../http/caught";

const TIME = "2026-01-01T00:00:00Z";
const CODE = "KP-LIST-TOO-LONG";

describe("the pages of a list", () => {
  test("are joined for any size of page, even with 200 000 entries", async () => {
    const warnings: string[] = [];
    const projects = new Projects({} as HttpClient, (message) => warnings.push(message));
    const items = Array.from({ length: 200_000 }, () => ({}) as Project);
    projects.pages = async function* () {
      yield { items, unavailable: items.map(() => "p"), cursor: undefined };
    };
    expect(await projects.list()).toHaveLength(200_000);
    expect(warnings).toEqual([expect.stringContaining("could not read 200,000 projects")]);
  });

  test("are limited together to what a process can hold, by the length of their text and by their number", async () => {
    const long = { name: "x".repeat(1_000_000) };
    const collected = new Collected(PROJECTS);
    for (let page = 0; page < 150; page++) expect(collected.take([long])).toEqual([long]);
    const texts = async () => {
      for (let page = 0; page < 100; page++) collected.take([long]);
    };
    expect(await caught(texts())).toMatchObject({ code: CODE, message: expect.stringContaining(PROJECTS) });
    const many = new Collected(PROJECTS);
    const entries = Array.from({ length: 10_000 }, () => ({}));
    const numbers = async () => {
      for (let page = 0; page < 100; page++) many.take(entries);
    };
    expect(await caught(numbers())).toMatchObject({ code: CODE, kind: "bad_answer" });
  });

  test("end with an error if the service sends more and more of them", async () => {
    // Each page has 10 MB.
    const text = "x".repeat(19_000);
    let pages = 0;
    const request = async () => {
      pages += 1;
      const records = Array.from({ length: 527 }, (_, at) => {
        const id = `00000000-0000-4000-8000-${String(1_000 * pages + at).padStart(12, "0")}`;
        return { id, project_id: "p", name: text, action: text, status: "", created_at: TIME, updated_at: TIME };
      });
      return { status: 200, json: { projects: records, operations: records, pagination: { cursor: String(pages) } } };
    };
    const http = { request, signal: new AbortController().signal } as unknown as HttpClient;
    const context = { clock: systemClock } as unknown as ConstructorParameters<typeof Operations>[1];
    const operations = new Operations(http, context);
    const reads = {
      [PROJECTS]: () => new Projects(http, () => {}).list(),
      [LIST_OPERATIONS]: () => getOperations({ operations } as unknown as Account, { projectId: "p" }),
    };
    for (const [route, read] of Object.entries(reads)) {
      pages = 0;
      expect(await caught(read())).toMatchObject({ code: CODE, route });
      expect(pages).toBe(20);
    }
  });
});
