import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readKeys } from "../../../provider/api/keys/read-keys";
import { readOperationPage, readSingleOperation } from "../../../provider/api/operations/read-operations";
import { readProjectPage } from "../../../provider/api/projects/read-projects";
import { BadAnswerError } from "../../../provider/errors";
import type { HttpAnswer } from "../../../provider/http";
import { LIST, PROJECTS } from "../../routes";

const answerOf = (json: unknown): HttpAnswer => ({
  status: 200,
  json,
  date: undefined,
  requestId: "request-1",
  sentAt: 0,
});

const READERS = {
  keys: (json: unknown) => readKeys(LIST, answerOf(json), { holdsCaller: true }),
  operations: (json: unknown) => readOperationPage("GET /operations", answerOf(json)).items,
  operation: (json: unknown) => [readSingleOperation("GET /operation", answerOf(json))],
  projects: (json: unknown) => readProjectPage(PROJECTS, answerOf(json)).items,
};

const time = "2026-01-01T00:00:00Z";
const key = { id: 7, name: "ci", created_at: time, last_used_at: time, last_used_from_addr: "192.0.2.1" };
const operation = {
  id: "00000000-0000-4000-8000-000000000001",
  project_id: "calm-lake-1",
  action: "start_compute",
  status: "running",
  failures_count: 0,
  created_at: time,
  updated_at: time,
};
const project = { id: "calm-lake-1", name: "calm", created_at: time, updated_at: time };
const WHOLE: Record<keyof typeof READERS, { item: Record<string, unknown>; wrap: (items: unknown[]) => unknown }> = {
  keys: { item: key, wrap: (items) => items },
  operations: { item: operation, wrap: (items) => ({ operations: items, pagination: { cursor: time } }) },
  operation: { item: operation, wrap: ([item]) => ({ operation: item }) },
  projects: { item: project, wrap: (items) => ({ projects: items }) },
};

/** Any JSON value, often one that breaks careless readers. */
const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    -0,
    "",
    "0",
    "\u0000\u001b[2J\u202e",
    "x".repeat(10_000),
    [],
    {},
  ),
  fc.jsonValue(),
  fc.constant(JSON.parse('{"__proto__":{"id":1,"polluted":true},"constructor":{"prototype":1}}')),
);

/** All texts inside a value, at any depth. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Checks that the reader returns clean flat records or throws its own short error. */
function readsOrRefuses(read: (json: unknown) => readonly object[], json: unknown): void {
  let records: readonly object[];
  try {
    records = read(json);
  } catch (error) {
    expect(error).toBeInstanceOf(BadAnswerError);
    expect((error as Error).message.length).toBeLessThan(400);
    expect((error as Error).message).not.toMatch(/\p{Cc}/u);
    return;
  }
  for (const record of records) {
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(Object.keys(record)).not.toContain("__proto__");
    expect("polluted" in record).toBe(false);
    for (const text of textsOf(record)) expect(text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
  }
  expect("polluted" in {}).toBe(false);
}

for (const [name, read] of Object.entries(READERS) as [keyof typeof READERS, (typeof READERS)["keys"]][]) {
  const { item, wrap } = WHOLE[name];
  describe(`the reader of ${name}`, () => {
    test("reads a valid answer and ignores unknown fields", () => {
      expect(read(wrap([{ ...item, new_field: { deep: [1] } }]))).toHaveLength(1);
    });

    test("returns records or its own error for a body of any shape", () => {
      fc.assert(fc.property(nasty, (json) => readsOrRefuses(read, json)));
    });

    test("returns records or its own error for an item with any one field changed", () => {
      fc.assert(
        fc.property(fc.constantFrom(...Object.keys(item)), nasty, (field, value) => {
          readsOrRefuses(read, wrap([{ ...item, [field]: value }]));
        }),
        { numRuns: 300 },
      );
    });

    test("ignores fields of a prototype", () => {
      const inherited = JSON.parse(`{"__proto__":${JSON.stringify(item)}}`);
      expect(() => read(wrap([Object.assign({}, inherited)]))).toThrow(BadAnswerError);
      expect(() => read(wrap([inherited]))).toThrow(BadAnswerError);
    });
  });
}

test("any list of keys that contains an id twice is refused", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 }), (ids) => {
      const list = ids.map((id) => ({ ...key, id }));
      if (new Set(ids).size < ids.length) expect(() => READERS.keys(list)).toThrow(/twice/);
      else expect(READERS.keys(list)).toHaveLength(ids.length);
    }),
  );
});
