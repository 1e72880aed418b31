import { request } from "undici";
import { expect, test } from "vitest";
import { connectControlPlane } from "..";
import { issuedSecrets } from "../issued-secrets";
import { firstProject, send, startPlane } from "./support";

test("a control plane in another process can be controlled through its URL like one in this process", async () => {
  const plane = await startPlane();
  const remote = await connectControlPlane(plane.controlUrl);
  expect([remote.url, remote.controlUrl, remote.apiKey]).toEqual([plane.url, plane.controlUrl, plane.apiKey]);
  await remote.rules.add({ route: "*", status: 503 });
  expect((await send(remote, "GET /auth")).status).toBe(503);
  await remote.clock.set({ mode: "driven", offsetMs: 5 });
  expect(await plane.clock.read()).toMatchObject({ mode: "driven", offsetMs: 5 });
  expect(await remote.log()).toEqual(await plane.log());
  expect(await remote.state.read()).toEqual(await plane.state.read());
  await expect(remote.state.revokeKey(1)).rejects.toThrow("no live key has the id 1");
  await remote.close();
  expect((await send(plane, "GET /auth")).status).toBe(200);
});

test("the control endpoints need no key and are also served on the API's port", async () => {
  const plane = await startPlane();
  const response = await fetch(new URL("/_control/", plane.url));
  expect(await response.json()).toEqual({ url: plane.url, controlUrl: plane.controlUrl, apiKey: plane.apiKey });
});

test.each([
  ["by a name of its own for this machine", { host: "evil.example" }],
  ["from another origin", { origin: "https://evil.example" }],
  ["from another site, without an origin", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
  ["from another port of this machine, without an origin", { "sec-fetch-site": "same-site" }],
  ["from a place that a browser may name one day", { "sec-fetch-site": "anywhere" }],
])("a web page that calls %s reads nothing from the control endpoints", async (_, headers) => {
  const plane = await startPlane();
  const { statusCode, body } = await request(`${plane.controlUrl}/secrets`, { headers });
  expect(statusCode).toBe(403);
  expect(await body.text()).not.toContain(plane.apiKey);
});

test.each([{}, { "sec-fetch-site": "none" }, { "sec-fetch-site": "same-origin" }])(
  "a local program, or a person who types the address, reads the control endpoints: %j",
  async (headers) => {
    const plane = await startPlane();
    const { statusCode, body } = await request(`${plane.controlUrl}/secrets`, { headers });
    expect(statusCode).toBe(200);
    await body.dump();
  },
);

test.each([
  ["/clock", { mode: "warped" }],
  ["/clock", { speed: 2 }],
  ["/clock/advance", { ms: -1 }],
  ["/clock/advance", {}],
  ["/keys", { name: 7 }],
  ["/operations", { projectId: "none" }],
  ["/switches", { tiedOperations: "lost" }],
  ["/rules", []],
])("POST %s refuses %o, so that mistakes are noticed", async (path, body) => {
  const plane = await startPlane();
  const response = await fetch(plane.controlUrl + path, { method: "POST", body: JSON.stringify(body) });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(await response.json()).toEqual({ message: expect.any(String) });
});

test("reset restores the initial state, except for the admin key, which still works", async () => {
  const plane = await startPlane({ projects: [{ id: "only" }], clock: { mode: "driven", stepMs: 7 } });
  const { key } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  await plane.rules.add({ route: "*", status: 500, count: null, skip: 1 });
  await plane.clock.set({ mode: "real", offsetMs: 9 });
  await plane.reset();
  expect([await plane.liveKeys(), await plane.log(), await plane.rules.list()]).toEqual([[], [], []]);
  expect(await plane.clock.read()).toMatchObject({ mode: "driven", stepMs: 7, offsetMs: 0 });
  expect((await send(plane, "GET /auth", { key })).status).toBe(401);
  expect(await firstProject(plane)).toBe("only");
});

test("a control plane with a hidden admin key shows it nowhere", async () => {
  const plane = await startPlane({ apiKey: "admin-sentinel", showsApiKey: false });
  const { key } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  for (const path of ["", "/secrets", "/log", "/state", "/keys", "/openapi.json"]) {
    expect(await (await fetch(plane.controlUrl + path)).text()).not.toContain("admin-sentinel");
  }
  const remote = await connectControlPlane(plane.controlUrl);
  expect([remote.apiKey, await remote.secretsEverIssued()]).toEqual(["", [key]]);
  expect(issuedSecrets().admin).toContain("admin-sentinel");
});

test("a control call with a huge body is refused before the body is read", async () => {
  const plane = await startPlane();
  const { statusCode, body } = await request(`${plane.controlUrl}/keys`, {
    method: "POST",
    body: Buffer.alloc(17 * 1024 * 1024, " "),
  });
  expect([statusCode, await body.json()]).toEqual([413, { message: "body is too large" }]);
});
