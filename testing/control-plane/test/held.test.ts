import { expect, test } from "vitest";
import { send, startPlane } from "./support";

const body = { key_name: "ci" };

test("a request that is held before its effect takes effect when it is released", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", hold: "before" });
  const sent = send(plane, "POST /api_keys", { body });
  expect(await plane.held.wait()).toMatchObject([{ method: "POST", route: "/api_keys", phase: "before" }]);
  expect(await plane.liveKeys()).toEqual([]);
  expect(await plane.log()).toMatchObject([{ status: null, effects: [] }]);
  await plane.held.release();
  expect((await sent).status).toBe(200);
  expect(await plane.liveKeys()).toHaveLength(1);
});

test("a request that is held after its effect takes effect while its client still waits", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", hold: "after" });
  const sent = send(plane, "POST /api_keys", { body });
  await plane.held.wait();
  expect(await plane.liveKeys()).toHaveLength(1);
  await plane.held.release();
  expect((await sent).status).toBe(200);
});

test("a held request that is dropped never takes effect, and its client gets no answer", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", hold: "before" });
  const sent = send(plane, "POST /api_keys", { body });
  const [held] = await plane.held.wait();
  await Promise.all([expect(sent).rejects.toThrow(), plane.held.drop(held?.seq)]);
  expect(await plane.liveKeys()).toEqual([]);
  expect(await plane.log()).toMatchObject([{ status: "dropped", effects: [] }]);
});

test("a held request takes effect when it is released even if its client is gone, as on a real server", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", hold: "before" });
  const client = new AbortController();
  const headers = { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal: client.signal };
  const sent = fetch(`${plane.url}/api_keys`, init);
  await plane.held.wait();
  client.abort();
  await expect(sent).rejects.toThrow();
  await expect.poll(async () => (await plane.log())[0]?.status, { interval: 5 }).toBe("dropped");
  expect(await plane.liveKeys()).toEqual([]);
  await plane.held.release();
  await expect.poll(async () => (await plane.liveKeys()).length, { interval: 5 }).toBe(1);
});

test("several held requests can be released one by one", async () => {
  const plane = await startPlane();
  await plane.rules.add({ route: "POST /api_keys", hold: "before", count: 2 });
  const sent = ["one", "two"].map((key_name) => send(plane, "POST /api_keys", { body: { key_name } }));
  const [first, second] = await plane.held.wait(2);
  await plane.held.release(second?.seq);
  await expect.poll(async () => (await plane.liveKeys()).length, { interval: 5 }).toBe(1);
  await plane.held.release(first?.seq);
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
});

test("waiting for a held request that does not come ends with an error that says how many are held", async () => {
  const plane = await startPlane();
  await expect(plane.held.wait(1, 10)).rejects.toThrow("0 instead of 1 requests are held");
});
