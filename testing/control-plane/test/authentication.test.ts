import { expect, test } from "vitest";
import { routes } from "../routes/table";
import { send, startPlane } from "./support";

const refusal = {
  request_id: expect.stringMatching(/^[\da-f-]{36}$/),
  code: "",
  message: "supplied credentials do not pass authentication",
};

test.each([
  ["no header", ""],
  ["no scheme", "KEY"],
  ["another scheme", "Basic KEY"],
  ["a wrong key", "Bearer wrong"],
  ["an empty key", "Bearer "],
  ["more than a key", "Bearer KEY KEY"],
])("%s is refused with 401 and the same body", async (_, header) => {
  const plane = await startPlane();
  const headers = { authorization: header.replaceAll("KEY", plane.apiKey) };
  expect(await send(plane, "GET /api_keys", { headers })).toMatchObject({ status: 401, body: refusal });
});

test("every route needs a key, even one that does not exist", async () => {
  const plane = await startPlane();
  const paths = [...routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "1")}`), "GET /nothing"];
  for (const path of paths) expect([path, (await send(plane, path, { key: "wrong" })).status]).toEqual([path, 401]);
});

test("a refused request does not count as a use, and changes nothing", async () => {
  const plane = await startPlane();
  await send(plane, "POST /api_keys", { body: { key_name: "ci" }, key: "wrong" });
  expect(await plane.liveKeys()).toEqual([]);
  expect(await plane.log()).toMatchObject([{ status: 401, keyId: null, effects: [] }]);
});

test("a created key works for every project of the account until it is revoked", async () => {
  const plane = await startPlane({ projects: [{ id: "first" }, { id: "second" }] });
  const { key, id } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  for (const project of ["first", "second"]) {
    expect((await send(plane, `GET /projects/${project}/operations`, { key })).status).toBe(200);
  }
  await plane.state.revokeKey(id);
  expect((await send(plane, "GET /projects/first/operations", { key })).status).toBe(401);
});

test("the client's request id is returned in the header and in the body of an error", async () => {
  const plane = await startPlane();
  const answer = await send(plane, "GET /api_keys/", { headers: { "x-request-id": "mine-1" } });
  expect(answer.headers.get("x-request-id")).toBe("mine-1");
  expect(answer.body.request_id).toBe("mine-1");
});

test("a key can read its account and its user", async () => {
  const plane = await startPlane();
  const auth = await send(plane, "GET /auth");
  expect(auth).toMatchObject({ status: 200, body: { account_id: expect.any(String), auth_method: "api_key_user" } });
  expect(await send(plane, "GET /users/me")).toMatchObject({ status: 200, body: { id: expect.any(String) } });
});

test("an unknown path returns 404, and a known path with a wrong method returns 405 and the allowed methods", async () => {
  const plane = await startPlane();
  expect((await send(plane, "GET /nothing")).status).toBe(404);
  const put = await send(plane, "PUT /api_keys", { body: {} });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "POST, GET"]);
});
