import { expect, test } from "vitest";
import { send, startPlane } from "./support";

test("with lastUsedThrottleMs, a use is recorded only if the last recorded one is that long ago", async () => {
  const plane = await startPlane({ switches: { lastUsedThrottleMs: 3_600_000 } });
  const { id, key } = await plane.state.createKey("app");

  const lastUsed = async () => (await plane.liveKeys()).find((each) => each.id === id)?.lastUsedAt;
  const uses: unknown[] = [];
  for (const minutes of [0, 30, 29, 1]) {
    await plane.clock.advance(minutes * 60_000);
    await send(plane, "GET /auth", { key });
    uses.push(await lastUsed());
  }
  const [first, , , last] = uses;
  expect(uses).toEqual([first, first, first, last]);
  expect(Date.parse(String(last)) - Date.parse(String(first))).toBe(3_600_000);
});

test("with lastUsedDelayMs, lists show a use only after that time", async () => {
  const plane = await startPlane({ switches: { lastUsedDelayMs: 3_600_000 } });
  const { id, key } = await plane.state.createKey("app");
  const shown = async () => {
    const keys: { id: number; last_used_at: string | null }[] = (await send(plane, "GET /api_keys")).body;
    return keys.find((each) => each.id === id)?.last_used_at;
  };

  await send(plane, "GET /auth", { key });
  expect(await shown()).toBeNull();
  await plane.clock.advance(3_600_000);
  expect(await shown()).toEqual(expect.any(String));
});
