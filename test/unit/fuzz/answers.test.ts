import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isKeyplaneError } from "../../../provider/errors";
import { type Made, StackHarness } from "../resources/harness";
import { nastyText, nastyValue } from "./arbitraries";

/** The result of a call. If it throws, it must be an error for people. */
async function outcomeOf<T>(harness: StackHarness, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    expect(isKeyplaneError(error), String(error)).toBe(true);
    const { message, stack } = error as Error;
    expect(message).toMatch(/(GET|POST|DELETE) \/|the service does not list key/);
    expect(message).not.toMatch(/\p{Cc}/u);
    for (const secret of await harness.plane.secretsEverIssued()) expect(`${message}${stack}`).not.toContain(secret);
    return undefined;
  }
}

const toBody = (value: unknown) => (typeof value === "string" ? JSON.stringify(value) : (value ?? "null"));
const headers = fc.record(
  {
    Date: fc.constantFrom("", "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"),
    "Retry-After": fc.constantFrom("", "-1", "1e9", "99999999999", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"),
    "Content-Type": fc.constantFrom("application/json", "text/html", "application/problem+json", "\u00ff"),
    "X-Request-ID": fc.constantFrom("", "a b", "x".repeat(1000)),
  },
  { requiredKeys: [] },
);

describe("any answer of the service", () => {
  it("to a POST leaves one key or none in the state, and touches nobody else's key", async () => {
    const harness = await StackHarness.start();
    const stranger = await harness.plane.state.createKey("a stranger's");
    const status = fc.oneof(fc.constant(200), fc.integer({ min: 200, max: 599 }));
    const field = fc.oneof(nastyValue, fc.constant(stranger.id));
    const body = fc.oneof(nastyValue, fc.record({ id: field, key: nastyValue, name: field, created_at: nastyText }));
    await fc.assert(
      fc.asyncProperty(status, body, headers, fc.boolean(), async (code, answer, more, committed) => {
        await harness.plane.rules.add({
          route: "POST /api_keys",
          status: code,
          body: toBody(answer),
          headers: more,
          commit: committed ? "before" : "never",
        });
        const key: Made | undefined = await outcomeOf(harness, harness.createKey());
        if (key !== undefined) expect(key.outputs.key ?? key.notReady).toBeDefined();
        await harness.plane.rules.clear();
        expect(await harness.liveIds()).toContain(String(stranger.id));
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  it("to a list never makes a live key count as gone", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    await harness.clock.pass(120_000);
    const proper = { id: 1, name: "other", created_at: "2026-01-01T00:00:00Z", last_used_at: "2026-01-01T00:00:00Z" };
    const odd = nastyValue.map((id) => ({ ...proper, id }));
    const item = fc.oneof(nastyValue, fc.constant(proper), odd);
    await fc.assert(
      fc.asyncProperty(fc.oneof(nastyValue, fc.array(item, { maxLength: 4 })), headers, async (body, more) => {
        await harness.plane.rules.add({
          route: "GET /api_keys",
          status: 200,
          body: toBody(body),
          headers: more,
          count: null,
        });
        // A new process does not share a list that an earlier one has read.
        const reading = harness.beside({}).readKey(key);
        const read = await outcomeOf(
          harness,
          reading.then((outputs) => ({ outputs })),
        );
        await harness.plane.rules.clear();
        if (read !== undefined) expect(read.outputs).toBeDefined();
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  it("to a DELETE never makes a live key count as revoked, unless the list lacks it", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    const body = fc.oneof(nastyValue, fc.record({ id: nastyValue, revoked: nastyValue }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), body, headers, async (status, answer, more) => {
        const rule = { route: "DELETE /api_keys/{key_id}", status, body: toBody(answer), headers: more, count: null };
        await harness.plane.rules.add(rule);
        const done = await outcomeOf(
          harness,
          harness.deleteKey(key).then(() => true),
        );
        await harness.plane.rules.clear();
        expect(done).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  }, 30_000);
});
