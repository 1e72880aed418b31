import { expect, test } from "vitest";
import { RequestLog } from "../request-log";
import { firstProject, send, startPlane } from "./support";

test("every request is logged with its route, its caller, its answer and its effects", async () => {
  const plane = await startPlane();
  const { id, key } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  await send(plane, `DELETE /api_keys/${id}?why=test`, { key, headers: { "x-request-id": "mine" } });
  await send(plane, "GET /nothing");
  const [post, remove, nothing] = await plane.log();
  expect(post).toMatchObject({
    seq: 1,
    method: "POST",
    route: "/api_keys",
    status: 200,
    effects: [{ kind: "key-created", id, name: "ci" }],
  });
  expect(post?.bytes).toBeGreaterThan(100);
  expect(remove).toMatchObject({
    seq: 2,
    method: "DELETE",
    route: "/api_keys/{key_id}",
    path: `/api_keys/${id}`,
    query: "why=test",
    keyId: id,
    requestId: "mine",
    effects: [{ kind: "key-revoked", id, name: "ci" }],
  });
  expect(remove?.answeredAt).toBeGreaterThanOrEqual(remove?.startedAt ?? Number.POSITIVE_INFINITY);
  expect(nothing).toMatchObject({ route: null, path: "/nothing", status: 404, effects: [] });
});

test("operations are among the effects of the request that started them", async () => {
  const plane = await startPlane();
  const projectId = await firstProject(plane);
  const { body } = await send(plane, `POST /projects/${projectId}/branches`, { body: {} });
  const started = body.operations.map(({ id, action }: { id: string; action: string }) => {
    return { kind: "operation-started", projectId, operationId: id, action };
  });
  expect((await plane.log()).at(-1)?.effects).toEqual([
    { kind: "branch-created", projectId, branchId: body.branch.id },
    ...started,
  ]);
});

test("requests are counted by method and by route", async () => {
  const plane = await startPlane();
  for (const name of ["one", "two"]) await send(plane, "POST /api_keys", { body: { key_name: name } });
  await send(plane, "GET /api_keys");
  expect(await plane.count()).toBe(3);
  expect(await plane.count("POST")).toBe(2);
  expect(await plane.count("GET", "/api_keys")).toBe(1);
  expect(await plane.count("DELETE", "/api_keys/{key_id}")).toBe(0);
  expect((await plane.log({ since: 2 })).map(({ seq }) => seq)).toEqual([3]);
});

test("the log contains no secret, not even one that a client put into a URL", async () => {
  const plane = await startPlane({ apiKey: "admin-sentinel" });
  const { key } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  await send(plane, `GET /${key}?key=${key}`, { key });
  await send(plane, "DELETE /api_keys/admin-sentinel?token=admin-sentinel");
  const text = JSON.stringify(await plane.log());
  for (const secret of [key, "admin-sentinel"]) expect(text).not.toContain(secret);
  expect(await plane.secretsEverIssued()).toEqual(["admin-sentinel", key]);
});

test("a change through the control endpoints is not a request, so it is not in the log", async () => {
  const plane = await startPlane();
  const { id, key } = await plane.state.createKey("stranger");
  await plane.state.useKey(id, 5000);
  expect(await plane.liveKeys()).toMatchObject([{ name: "stranger", lastUsedAt: expect.any(String) }]);
  expect((await send(plane, "GET /auth", { key })).status).toBe(200);
  await plane.state.revokeKey(id);
  expect((await send(plane, "GET /auth", { key })).status).toBe(401);
  expect(await plane.count()).toBe(2);
});

test("the log keeps only the latest entries and shortens them, but counts every request", () => {
  const log = new RequestLog();
  const arrival = { path: "x".repeat(10_000), query: "y".repeat(10_000), keyId: null, requestId: "r", now: 0 };
  for (let at = 0; at < 150_000; at++)
    log.open({ ...arrival, method: at % 3 === 0 ? "POST" : "GET", route: "/api_keys" });
  const entries = log.read();
  expect(entries.length).toBeGreaterThanOrEqual(50_000);
  expect(entries.length).toBeLessThanOrEqual(100_000);
  expect([entries.at(-1)?.seq, entries.at(0)?.seq]).toEqual([150_000, 150_001 - entries.length]);
  expect(log.read({ since: 149_999 }).map(({ seq }) => seq)).toEqual([150_000]);
  expect(JSON.stringify(entries.at(-1)).length).toBeLessThan(3_000);
  expect([log.count(), log.count({ method: "POST" }), log.count({ route: "/none" })]).toEqual([150_000, 50_000, 0]);
  log.clear();
  expect([log.count(), log.open({ ...arrival, method: "GET", route: null }).seq]).toEqual([0, 1]);
});
