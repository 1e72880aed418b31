import { describe, expect, test } from "vitest";
import { codeOf, key, type Outcome, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST } from "../../routes";
import { DAY, HOUR, SECOND } from "../../times";

// A process serves one run, and remembers who adopts which id. So each test has ids of its own.
let tests = 0;

/** A stack whose service has a key that was created by hand 40 days ago and last used two hours ago. */
async function started() {
  const stack = await TestStack.start();
  tests += 3;
  for (let earlier = 0; earlier < tests; earlier++) {
    await stack.plane.state.revokeKey((await stack.plane.state.createKey("earlier")).id);
  }
  const made = await stack.plane.state.createKey("made-by-hand");
  await stack.clock.pass(40 * DAY);
  await stack.plane.state.useKey(made.id, 2 * HOUR);
  return { stack, adopt: { id: String(made.id), key: made.key } };
}

const posts = ({ requests }: Outcome) => requests.filter((each) => each === POST).length;

describe("a key that was created by hand", () => {
  test("is adopted without a POST, and costs nothing until it is rotated like any other key", async () => {
    const { stack, adopt } = await started();
    const preview = await stack.preview({ ci: rotating({ adopt }) });
    expect([preview.requests, preview.info]).toEqual([[], [expect.stringContaining(adopt.id)]]);
    const run = await stack.up({ ci: rotating({ adopt }) });
    expect(run.errors).toEqual({});
    expect(new Set(run.requests)).toEqual(new Set([LIST]));
    expect(stack.outputs()).toMatchObject({ keyId: adopt.id, name: "made-by-hand", key: adopt.key });
    expect(JSON.stringify({ ...stack.outputs(), key: "" })).not.toContain(adopt.key);
    expect(await stack.up({ ci: rotating({ adopt }) })).toMatchObject({ steps: { ci: "same" }, requests: [] });
    expect(await stack.up({ ci: rotating() })).toMatchObject({ steps: { ci: "same" }, requests: [] });
    const triggered = { ci: rotating({ rotationTriggers: { at: 1 } }) };
    await stack.up(triggered);
    expect(stack.outputs()).toMatchObject({ previousKeyId: adopt.id, previousKey: adopt.key });
    await stack.clock.pass(DAY + SECOND);
    await stack.up(triggered);
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("keeps its real age, is revoked by a deletion, and by revokeNow", async () => {
    const { stack, adopt } = await started();
    await stack.up({ ci: rotating({ adopt, rotateAfter: "30d" }) });
    expect((await stack.preview({ ci: rotating({ adopt, rotateAfter: "30d" }) })).steps.ci).toBe("update");
    await stack.up({ ci: rotating({ revokeNow: adopt.id }) });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    await stack.destroy();
    expect(await stack.live()).toEqual([]);
  });

  test.each([1, 26])("is adopted with a warning if the service shows uses %i hours late", async (hours) => {
    const { stack, adopt } = await started();
    await stack.plane.state.switch({ lastUsedDelayMs: hours * HOUR });
    const run = await stack.up({ ci: rotating({ adopt }) });
    expect([run.errors, run.warn]).toEqual([{}, [expect.stringContaining(adopt.id)]]);
    expect(stack.outputs().keyId).toBe(adopt.id);
  });

  test("is adopted again by the run after a killed one", async () => {
    const { stack, adopt } = await started();
    await stack.up({ ci: rotating({ adopt }) }, { dies: "ci" });
    expect((await stack.up({ ci: rotating({ adopt }) })).errors).toEqual({});
    expect(await stack.live()).toEqual([adopt.id]);
  });
});

describe("an adoption is refused", () => {
  test("if the id is not live, the service refuses the secret, or the two are of two keys", async () => {
    const { stack, adopt } = await started();
    const other = await stack.plane.state.createKey("another");
    for (const wrong of [
      { ...adopt, id: "999" },
      { ...adopt, key: "nobody-issued-this" },
      { ...adopt, key: other.key },
    ]) {
      const run = await stack.up({ ci: rotating({ adopt: wrong }) });
      expect([codeOf(run), posts(run), stack.resources]).toEqual(["KP-ADOPT", 0, []]);
      expect(run.errors.ci).not.toContain(wrong.key);
    }
  });

  test("without a request if keyplane authenticates with the key", async () => {
    const { stack, adopt } = await started();
    stack.settings = { ...stack.settings, apiKey: adopt.key };
    expect(await stack.preview({ ci: rotating({ adopt }) })).toMatchObject({ requests: [], steps: {} });
    expect(codeOf(await stack.up({ ci: rotating({ adopt }) }))).toBe("KP-OWN-CREDENTIAL");
  });

  test("if a resource of the stack has the key, also the resource that it replaces", async () => {
    const { stack, adopt } = await started();
    const outputs = { keyId: adopt.id, name: "made-by-hand" };
    stack.resources = [{ kind: "RotatingApiKey", name: "db", id: "r-1", inputs: {}, outputs }];
    const run = await stack.up({ ci: rotating({ adopt }) }, { target: "ci" });
    expect([codeOf(run), run.exports]).toEqual(["KP-ADOPT", 1]);
    expect(stack.find("ci")).toBeUndefined();
  });

  test("if the state cannot be read, or a resource of the stack is to revoke the key", async () => {
    const { stack, adopt } = await started();
    stack.answersWith = undefined;
    const unread = await stack.up({ ci: rotating({ adopt }) });
    expect([codeOf(unread), posts(unread), stack.resources]).toEqual(["KP-ADOPT", 0, []]);
    stack.answersWith = "this stack";
    const outputs = { keyId: "1", name: "another", pendingRevocations: [adopt.id] };
    stack.resources = [{ kind: "RotatingApiKey", name: "db", id: "r-1", inputs: {}, outputs }];
    expect(codeOf(await stack.up({ ci: rotating({ adopt }) }, { target: "ci" }))).toBe("KP-ADOPT");
    expect(await stack.live()).toEqual([adopt.id]);
  });

  test("before anything is created if two resources of a program name the same key", async () => {
    const { stack, adopt } = await started();
    const program = { one: rotating({ adopt }), two: rotating({ adopt }) };
    const run = await stack.preview(program);
    expect(Object.keys(run.errors)).toEqual(["two"]);
    expect(codeOf(run, "two")).toBe("KP-INPUT");
  });

  test("for a resource that already has another key", async () => {
    const { stack, adopt } = await started();
    await stack.up({ ci: rotating() });
    expect(codeOf(await stack.preview({ ci: rotating({ adopt }) }))).toBe("KP-ADOPT");
  });

  test("for an ApiKey, and in a wrong form without the secret in the message", async () => {
    const { stack, adopt } = await started();
    expect(codeOf(await stack.preview({ ci: key({ adopt }) }))).toBe("KP-INPUT");
    const wrong = await stack.preview({ ci: rotating({ adopt: { id: adopt.key, key: adopt.id } }) });
    expect(wrong.errors.ci).not.toContain(adopt.key);
    expect(wrong.requests).not.toContain(DELETE);
  });
});
