import { expect, test } from "vitest";
import { send, startPlane } from "./support";

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

test("creating a key returns 200 with its id and its secret, which no later answer contains", async () => {
  const plane = await startPlane();
  const { status, body } = await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(Number),
    key: expect.stringMatching(/^kp_[a-z0-9]{64}$/),
    name: "ci",
    created_at: time,
    created_by: expect.any(String),
  });
  const listed = await send(plane, "GET /api_keys");
  expect(JSON.stringify(listed.body)).not.toContain(body.key);
});

test("keys are listed as a bare array with the admin key, newest first", async () => {
  const plane = await startPlane();
  for (const name of ["one", "two"]) await send(plane, "POST /api_keys", { body: { key_name: name } });
  const { status, body } = await send(plane, "GET /api_keys");
  expect(status).toBe(200);
  expect(body.map((key: { name: string }) => key.name)).toEqual(["two", "one", "admin"]);
  expect(body[0]).toEqual({
    id: expect.any(Number),
    name: "two",
    created_at: time,
    created_by: { id: expect.any(String), name: expect.any(String), image: "" },
    last_used_at: null,
    last_used_from_addr: "",
  });
});

test("a key shows its own use at once, with the address of each use", async () => {
  const plane = await startPlane();
  const { key, id } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  await plane.clock.advance(60_000);
  const { body } = await send(plane, "GET /api_keys", { key });
  expect(body[0]).toMatchObject({ id, last_used_at: time, last_used_from_addr: "127.0.0.1" });
  expect(Date.parse(body[0].last_used_at) - Date.parse(body[0].created_at)).toBe(60_000);
});

test("revoking a key returns its record, takes effect at once and cannot be repeated", async () => {
  const plane = await startPlane();
  const { key, id } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  const revoked = await send(plane, `DELETE /api_keys/${id}`);
  expect(revoked.status).toBe(200);
  expect(revoked.body).toEqual({
    id,
    name: "ci",
    created_at: time,
    created_by: expect.any(String),
    revoked: true,
    last_used_at: null,
    last_used_from_addr: "",
  });
  expect((await send(plane, "GET /api_keys", { key })).status).toBe(401);
  const again = await send(plane, `DELETE /api_keys/${id}`);
  expect(again).toMatchObject({ status: 404, body: { code: "", message: "api key not found" } });
});

test("a key may revoke itself, and is refused from then on", async () => {
  const plane = await startPlane();
  const { key, id } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  expect((await send(plane, `DELETE /api_keys/${id}`, { key })).status).toBe(200);
  expect((await send(plane, `DELETE /api_keys/${id}`, { key })).status).toBe(401);
});

test("the name of a live key is refused with 409 until that key is revoked", async () => {
  const plane = await startPlane();
  const { id } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  const second = await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect(second).toMatchObject({ status: 409, body: { message: "choose another unique name for api key" } });
  await send(plane, `DELETE /api_keys/${id}`);
  const third = await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect(third.status).toBe(200);
  expect(third.body.id).toBeGreaterThan(id);
});

test("names may repeat if uniqueness is switched off, and revoking one key leaves the other", async () => {
  const plane = await startPlane({ switches: { uniqueNames: false } });
  const [first, second] = [
    await send(plane, "POST /api_keys", { body: { key_name: "ci" } }),
    await send(plane, "POST /api_keys", { body: { key_name: "ci" } }),
  ];
  expect([first.status, second.status]).toEqual([200, 200]);
  await send(plane, `DELETE /api_keys/${first.body.id}`);
  expect(await plane.liveKeys()).toMatchObject([{ id: second.body.id }]);
  await plane.state.switch({ uniqueNames: true });
  expect((await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).status).toBe(409);
});

test.each([
  ["no body", undefined],
  ["a body that is not JSON", "{"],
  ["a body that is not an object", ["ci"]],
  ["no name", {}],
  ["an empty name", { key_name: "" }],
  ["a name that is not text", { key_name: 7 }],
  ["a name of 65 characters", { key_name: "n".repeat(65) }],
])("the creation of a key is refused with 400 for %s", async (_, body) => {
  const plane = await startPlane();
  const answer = await send(plane, "POST /api_keys", { body });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ request_id: expect.any(String), code: "", message: expect.any(String) });
  expect(await plane.liveKeys()).toEqual([]);
});

test("a name of 64 characters is accepted, counted by visible characters", async () => {
  const plane = await startPlane();
  expect((await send(plane, "POST /api_keys", { body: { key_name: "🔑".repeat(64) } })).status).toBe(200);
});

test("a body without a JSON content type is refused", async () => {
  const plane = await startPlane();
  const headers = { "content-type": "text/plain" };
  expect((await send(plane, "POST /api_keys", { body: { key_name: "ci" }, headers })).status).toBe(400);
});

test.each([
  ["abc", 400],
  ["-1", 400],
  ["1.5", 400],
  ["0", 404],
  ["999999", 404],
  ["9007199254740993", 404],
])("DELETE /api_keys/%s returns %i", async (id, status) => {
  const plane = await startPlane();
  expect((await send(plane, `DELETE /api_keys/${id}`)).status).toBe(status);
});

test("an empty path segment is answered with a redirect, which a client must not follow with its key", async () => {
  const plane = await startPlane();
  const answer = await send(plane, "DELETE /api_keys/");
  expect(answer.status).toBe(301);
  expect(answer.headers.get("location")).toBe("/api/v2/api_keys");
  expect((await send(plane, "GET /projects//operations")).status).toBe(301);
});
