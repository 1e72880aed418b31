import { expect, test } from "vitest";
import type { ControlPlane, Rule } from "..";
import { firstProject, send, startPlane } from "./support";

/** The statuses of `count` lists of keys. */
async function lists(plane: ControlPlane, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) statuses.push((await send(plane, "GET /api_keys")).status);
  return statuses;
}

test("a rule answers the next request of its route with its status and then ends", async () => {
  const plane = await startPlane();
  const { id } = await plane.rules.add({ route: "GET /api_keys", status: 503 });
  expect((await send(plane, "GET /projects")).status).toBe(200);
  expect(await lists(plane, 3)).toEqual([503, 200, 200]);
  expect(await plane.rules.list()).toMatchObject([{ id, struck: 1 }]);
  expect((await plane.log({ route: "/api_keys" })).map(({ rule }) => rule)).toEqual([id, null, null]);
});

test("a rule can skip some requests, and apply to every Nth request a number of times or always", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "GET /api_keys", status: 500, skip: 1, every: 2, count: 2 });
  expect(await lists(plane, 7)).toEqual([200, 500, 200, 500, 200, 200, 200]);
  const { id } = await plane.rules.add({ route: "*", status: 429, count: null });
  expect(await lists(plane, 3)).toEqual([429, 429, 429]);
  await plane.rules.remove(id);
  expect(await lists(plane, 1)).toEqual([200]);
});

test("a rule can be for a single path, and the first matching rule applies", async () => {
  const plane = await startPlane();
  const ids = [await plane.state.createKey("one"), await plane.state.createKey("two")].map(({ id }) => id);
  await plane.rules.add({ route: `DELETE /api_keys/${ids[1]}`, status: 500, count: null });
  await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 503, count: null });
  expect((await send(plane, `DELETE /api_keys/${ids[1]}`)).status).toBe(500);
  expect((await send(plane, `DELETE /api_keys/${ids[0]}`)).status).toBe(503);
  await plane.rules.clear();
  expect((await send(plane, `DELETE /api_keys/${ids[0]}`)).status).toBe(200);
});

test("an answer by a rule has the service's error body by default", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "*", status: 422 });
  expect((await send(plane, "GET /auth")).body).toEqual({
    request_id: expect.any(String),
    code: "",
    message: expect.stringContaining("422"),
  });
  await plane.rules.add({ route: "*", status: 418, body: { short: true }, headers: { "X-Mark": "1" } });
  const answer = await send(plane, "GET /auth");
  expect([answer.body, answer.headers.get("x-mark")]).toEqual([{ short: true }, "1"]);
});

test("an answer by a rule can have no body, and the connection stays open", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "*", status: 204 });
  expect(await send(plane, "GET /auth")).toMatchObject({ status: 204, body: undefined });
  expect((await send(plane, "GET /auth")).status).toBe(200);
});

test("a rule sends Retry-After in seconds or as a date of the control plane's clock", async () => {
  const plane = await startPlane({ clock: { mode: "driven", offsetMs: 3_600_000 } });
  await plane.rules.add({ route: "*", status: 429, retryAfter: 7 });
  expect((await send(plane, "GET /auth")).headers.get("retry-after")).toBe("7");
  await plane.rules.add({ route: "*", status: 503, retryAfter: { date: 30_000 } });
  const { headers } = await send(plane, "GET /auth");
  const ahead = Date.parse(headers.get("retry-after") ?? "") - Date.parse(headers.get("date") ?? "");
  expect(Math.abs(ahead - 30_000)).toBeLessThanOrEqual(1000);
});

test("a rule's status can hide whether the request takes effect before the answer, after it or never", async () => {
  const plane = await startPlane();
  for (const commit of ["before", "after", "never"] as const) {
    await plane.rules.add({ route: "POST /api_keys", status: 500, commit });
    expect((await send(plane, "POST /api_keys", { body: { key_name: commit } })).status).toBe(500);
  }
  expect((await plane.liveKeys()).map(({ name }) => name).sort()).toEqual(["after", "before"]);
});

test("a late effect comes after a time of the clock or on request", async () => {
  const plane = await startPlane();
  const late = { route: "POST /api_keys", status: 504, commit: "late" } as const;
  await plane.rules.add({ ...late, lateMs: 5000 });
  await plane.rules.add(late);
  for (const name of ["timed", "called"]) await send(plane, "POST /api_keys", { body: { key_name: name } });
  const names = async () => (await plane.liveKeys()).map(({ name }) => name);
  await plane.clock.advance(4999);
  expect(await names()).toEqual([]);
  await plane.clock.advance(1);
  expect(await names()).toEqual(["timed"]);
  expect(await plane.commitLate()).toBe(1);
  expect(await names()).toEqual(["called", "timed"]);
  const [first, second, timed] = await plane.log();
  expect([first?.effects, second?.effects]).toEqual([[], []]);
  expect(timed).toMatchObject({ lateOf: first?.seq, effects: [{ kind: "key-created", name: "timed" }] });
});

test("a rule can change and omit fields of an answer", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", patch: { id: "x" }, omit: ["key"] });
  const { status, body } = await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect([status, body.id, body.key]).toEqual([200, "x", undefined]);
  expect(await plane.liveKeys()).toMatchObject([{ name: "ci" }]);
});

test("a rule can add operations to any answer, even of POST /api_keys, which then take their course", async () => {
  const plane = await startPlane();
  const operations = [{ action: "apply_config", outcome: "failed" }, { action: "start_compute" }];
  await plane.rules.add({ route: "POST /api_keys", operations });
  const { body } = await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect(body).toMatchObject({ name: "ci", operations: [{ action: "apply_config" }, { action: "start_compute" }] });
  await plane.clock.advance(60_000);
  const [failed] = body.operations;
  const read = await send(plane, `GET /projects/${failed.project_id}/operations/${failed.id}`);
  expect(read.body.operation.status).toBe("failed");
  const [entry] = await plane.log({ method: "POST" });
  expect(entry?.effects.map(({ kind }) => kind)).toEqual(["key-created", "operation-started", "operation-started"]);
});

test("a refused request starts no operations", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", operations: [{ action: "apply_config" }] });
  const { status, body } = await send(plane, "POST /api_keys", { body: {} });
  expect([status, body.operations]).toEqual([400, undefined]);
  expect(await plane.log()).toMatchObject([{ effects: [] }]);
});

test("a rule can answer a list with an empty page, a repeated cursor or no cursor", async () => {
  const plane = await startPlane();
  const project = await firstProject(plane);
  await plane.state.startOperations({ projectId: project, count: 5 });
  const path = `GET /projects/${project}/operations`;
  const route = "GET /projects/{project_id}/operations";
  const { cursor } = (await send(plane, `${path}?limit=2`)).body.pagination;
  await plane.rules.add({ route, page: "repeated-cursor" });
  const repeated = (await send(plane, `${path}?limit=2&cursor=${cursor}`)).body;
  expect([repeated.operations.length, repeated.pagination.cursor]).toEqual([2, cursor]);
  await plane.rules.add({ route, page: "no-cursor" });
  expect((await send(plane, `${path}?limit=2`)).body).not.toHaveProperty("pagination");
  await plane.rules.add({ route, page: "empty" });
  expect((await send(plane, path)).body).toEqual({ operations: [] });
  await plane.rules.add({ route: "GET /api_keys", page: "empty" });
  expect((await send(plane, "GET /api_keys")).body).toEqual([]);
});

test("a rule can hide one entry of a list", async () => {
  const plane = await startPlane();
  const { id } = await plane.state.createKey("ci");
  const whole = (await send(plane, "GET /api_keys")).body;
  await plane.rules.add({ route: "GET /api_keys", lacks: 0 });
  expect((await send(plane, "GET /api_keys")).body).toHaveLength(whole.length - 1);
  expect((await send(plane, "GET /api_keys")).body.map((key: { id: number }) => key.id)).toContain(id);
  const project = await firstProject(plane);
  const path = `GET /projects/${project}/operations`;
  const { operations } = (await send(plane, path)).body;
  await plane.rules.add({ route: "GET /projects/{project_id}/operations", lacks: 1 });
  expect((await send(plane, path)).body.operations).toEqual(operations.filter((_: unknown, at: number) => at !== 1));
});

test("a rule can delay the answer in real time", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "*", delayMs: 30 });
  const before = performance.now();
  await send(plane, "GET /auth");
  expect(performance.now() - before).toBeGreaterThanOrEqual(29);
});

test.each<[string, unknown]>([
  ["no route", { status: 500 }],
  ["a route that is not served", { route: "GET /nothing", status: 500 }],
  ["a field that is not known", { route: "*", staus: 500 }],
  ["a status out of range", { route: "*", status: 99 }],
  ["a fault that is not known", { route: "*", fault: "explode" }],
  ["a fault of connections on one route", { route: "GET /auth", fault: "reset-on-connect" }],
  ["a truncated answer to what never took effect", { route: "*", fault: "stall-body", commit: "never" }],
  ["a late effect with a true answer", { route: "*", commit: "late" }],
])("a rule is refused for %s, so that a test cannot pass because of a typing error", async (_, rule) => {
  const plane = await startPlane();
  await expect(plane.rules.add(rule as Rule)).rejects.toThrow(/rule:/);
  expect(await plane.rules.list()).toEqual([]);
});
