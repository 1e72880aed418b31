import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { key, type Outcome, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST } from "../../routes";
import { nastyText, nastyValue } from "./arbitraries";

/** What a run shows must be for people: with a code, without control characters and without a secret. */
async function mustBeForPeople({ plane }: TestStack, { errors, info, warn }: Outcome): Promise<void> {
  const failed = Object.values(errors);
  const shown = [...failed, ...info, ...warn];
  for (const message of failed) expect(message).toMatch(/ \[KP-[A-Z-]+\]$/);
  for (const message of shown) {
    expect(message).not.toMatch(/\p{Cc}|KP-INTERNAL/u);
    for (const secret of await plane.secretsEverIssued()) expect(message).not.toContain(secret);
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
  test("to a POST leaves one key or none in the state, and touches nobody else's key", async () => {
    const stack = await TestStack.start();
    const stranger = await stack.plane.state.createKey("a stranger's");
    const status = fc.oneof(fc.constant(200), fc.integer({ min: 200, max: 599 }));
    const field = fc.oneof(nastyValue, fc.constant(stranger.id));
    const body = fc.oneof(nastyValue, fc.record({ id: field, key: nastyValue, name: field, created_at: nastyText }));
    await fc.assert(
      fc.asyncProperty(status, body, headers, fc.boolean(), async (code, answer, more, committed) => {
        const commit = committed ? "before" : "never";
        await stack.plane.rules.add({ route: POST, status: code, body: toBody(answer), headers: more, commit });
        await mustBeForPeople(stack, await stack.up({ ci: key() }));
        const made = stack.find("ci");
        if (made !== undefined) expect(made.outputs.key ?? made.notReady).toBeDefined();
        await stack.plane.rules.clear();
        expect(await stack.live()).toContain(String(stranger.id));
        stack.resources = [];
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  test("to a list never makes a live key count as gone", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    await stack.clock.pass(120_000);
    const proper = { id: 1, name: "other", created_at: "2026-01-01T00:00:00Z", last_used_at: "2026-01-01T00:00:00Z" };
    const odd = nastyValue.map((id) => ({ ...proper, id }));
    const item = fc.oneof(nastyValue, fc.constant(proper), odd);
    await fc.assert(
      fc.asyncProperty(fc.oneof(nastyValue, fc.array(item, { maxLength: 4 })), headers, async (body, more) => {
        await stack.plane.rules.add({ route: LIST, status: 200, body: toBody(body), headers: more, count: null });
        await mustBeForPeople(stack, await stack.refresh());
        await stack.plane.rules.clear();
        expect(stack.outputs().keyId).toBeDefined();
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  test("to a DELETE never makes a live key count as revoked, unless the list lacks it", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    const body = fc.oneof(nastyValue, fc.record({ id: nastyValue, revoked: nastyValue }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), body, headers, async (status, answer, more) => {
        const rule = { route: DELETE, status, body: toBody(answer), headers: more, count: null };
        await stack.plane.rules.add(rule);
        await mustBeForPeople(stack, await stack.destroy());
        await stack.plane.rules.clear();
        expect(stack.outputs().keyId).toBeDefined();
      }),
      { numRuns: 60 },
    );
  }, 30_000);
});
