import { expect, test } from "vitest";
import type { ControlPlane } from "..";
import { send, startPlane } from "./support";

/** How many of `count` simultaneous requests are served, and how many are refused with 429. */
async function volley(plane: ControlPlane, what: string, count: number): Promise<[served: number, refused: number]> {
  const bodies = Array.from({ length: count }, () => ({ key_name: crypto.randomUUID() }));
  const answers = await Promise.all(bodies.map((body) => send(plane, what, what.startsWith("POST") ? { body } : {})));
  const refused = answers.filter(({ status }) => status === 429).length;
  return [answers.filter(({ status }) => status === 200).length, refused];
}

test("a route serves 40 requests at once and then one every 25 ms, and another route has its own limit", async () => {
  const plane = await startPlane({ switches: { rateLimits: true } });
  expect(await volley(plane, "POST /api_keys", 50)).toEqual([40, 10]);
  expect(await volley(plane, "GET /api_keys", 41)).toEqual([40, 1]);
  await plane.clock.advance(250);
  expect(await volley(plane, "POST /api_keys", 20)).toEqual([10, 10]);
  await plane.clock.advance(60_000);
  expect(await volley(plane, "POST /api_keys", 41)).toEqual([40, 1]);
});

test("an organization can create 10 keys in a second", async () => {
  const plane = await startPlane({ switches: { rateLimits: true } });
  expect(await volley(plane, "POST /organizations/org-local-1/api_keys", 12)).toEqual([10, 2]);
});

test("an account can send 700 requests a minute over all routes", async () => {
  const plane = await startPlane({ switches: { rateLimits: true } });
  const routes = ["GET /auth", "GET /users/me", "GET /projects", "GET /projects/shared", "GET /api_keys"];
  const served: number[] = [];
  for (let second = 0; second < 4; second += 1) {
    const volleys = await Promise.all(routes.map((route) => volley(plane, route, 40)));
    served.push(volleys.reduce((sum, [each]) => sum + each, 0));
    await plane.clock.advance(1000);
  }
  // After three seconds, 600 of 700 are used, and a sixtieth of 700 comes back every second.
  expect(served).toEqual([200, 200, 200, 135]);
});

test("a refused request changes nothing, gets the service's message and does not count", async () => {
  const plane = await startPlane({ switches: { rateLimits: true } });
  await volley(plane, "POST /api_keys", 100);
  expect(await plane.liveKeys()).toHaveLength(40);
  const { body, headers } = await send(plane, "POST /api_keys", { body: { key_name: "one too many" } });
  expect(body).toEqual({ request_id: expect.any(String), code: "", message: "too many requests" });
  expect(headers.get("retry-after")).toBeNull();
  expect(await volley(plane, "GET /auth", 40)).toEqual([40, 0]);
});

test("nothing is limited while the switch is off, and earlier requests do not count when it is switched on", async () => {
  const plane = await startPlane();
  expect(await volley(plane, "GET /auth", 100)).toEqual([100, 0]);
  await plane.state.switch({ rateLimits: true });
  expect(await volley(plane, "GET /auth", 41)).toEqual([40, 1]);
});
