import { describe, expect, test } from "vitest";
import type { Rule } from "../../../testing/control-plane";
import { codeOf, key, type Outcome, rotating, type Saved, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST } from "../../routes";
import { DAY, HOUR, MINUTE } from "../../times";

const kinds = [
  ["ApiKey", key],
  ["RotatingApiKey", rotating],
] as const;
const sent = ({ requests }: Outcome) => requests.filter((each) => each !== LIST);

/** A stack with one key that is older than the minute in which lists can lag behind. */
async function withKey(program = { ci: key() }): Promise<{ stack: TestStack; id: string }> {
  const stack = await TestStack.start();
  await stack.up(program);
  await stack.clock.pass(2 * MINUTE);
  return { stack, id: String(stack.outputs().keyId) };
}

/** A rule after which lists lack a key. */
async function hiding(stack: TestStack, id: string, count: number | null = null): Promise<Rule> {
  const headers = { authorization: `Bearer ${stack.settings.apiKey}` };
  const answer = await fetch(`${stack.settings.baseUrl}/api_keys`, { headers });
  const listed = (await answer.json()) as readonly { id: number }[];
  return { route: LIST, count, status: 200, body: listed.filter((each) => String(each.id) !== id) };
}

/** The same key without a secret in the state, as if it were sealed. */
function withoutSecret(stack: TestStack): void {
  stack.resources = stack.resources.map((each): Saved => {
    const { key: _, ...outputs } = each.outputs;
    return { ...each, outputs };
  });
}

describe.each(kinds)("the deletion of an %s", (_, declare) => {
  const program = { ci: declare() };

  test("revokes the key", async () => {
    const { stack } = await withKey(program);
    expect(sent(await stack.destroy())).toEqual([DELETE]);
    expect(await stack.live()).toEqual([]);
  });

  test("keeps the key and says so with revokeOnDelete: false", async () => {
    const { stack, id } = await withKey({ ci: declare({ revokeOnDelete: false }) });
    const run = await stack.destroy();
    expect(sent(run)).toEqual([]);
    expect(run.info).toEqual([expect.stringContaining(id)]);
    expect(await stack.live()).toEqual([id]);
  });

  test("is done if the key is already gone", async () => {
    const { stack, id } = await withKey(program);
    await stack.plane.state.revokeKey(id);
    expect((await stack.destroy()).errors).toEqual({});
    expect(stack.resources).toEqual([]);
  });

  test("revokes the key by its id although two lists lack it", async () => {
    const { stack, id } = await withKey(program);
    await stack.plane.rules.add(await hiding(stack, id));
    const run = await stack.destroy();
    expect(run.errors).toEqual({});
    expect(run.requests).toEqual([LIST, LIST, DELETE]);
    expect(await stack.live()).toEqual([]);
  });

  test("fails if the lists and the answer to the revocation say that it is gone, but it works", async () => {
    const { stack, id } = await withKey(program);
    await stack.plane.rules.add(await hiding(stack, id));
    await stack.plane.rules.add({ route: DELETE, status: 404, count: null });
    expect(codeOf(await stack.destroy())).toBe("KP-ANSWER");
    expect(stack.resources).toHaveLength(1);
  });

  test("touches nothing if the list shows the id under another name", async () => {
    const { stack } = await withKey(program);
    const other = await stack.plane.state.createKey("somebody-elses");
    const outputs = { ...stack.outputs(), keyId: String(other.id) };
    stack.resources = stack.resources.map((each) => ({ ...each, id: String(other.id), outputs }));
    const run = await stack.destroy();
    expect([codeOf(run), sent(run)]).toEqual(["KP-ID-MISMATCH", []]);
    expect(codeOf(await stack.refresh())).toBe("KP-ID-MISMATCH");
  });

  test.each([400, 500])("fails after %i while the list shows the key, which stays in the state", async (status) => {
    const { stack, id } = await withKey(program);
    await stack.plane.rules.add({ route: DELETE, status, count: null });
    expect(codeOf(await stack.destroy())).toBe("KP-API");
    expect(stack.resources).toHaveLength(1);
    await stack.plane.rules.clear();
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).not.toContain(id);
  });

  test("is done if its answer was lost and the list lacks the key", async () => {
    const { stack } = await withKey(program);
    await stack.plane.rules.add({ route: DELETE, fault: "close", commit: "before" });
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
  });

  test("revokes what cannot be revoked yet in a later run, and fails until then", async () => {
    const stack = await TestStack.start();
    await stack.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    await stack.plane.rules.add({ route: DELETE, status: 400, count: 1 });
    await stack.up({ ci: declare({ revokeOnDelete: false }) });
    const [orphan] = stack.outputs().pendingRevocations as string[];
    await stack.plane.rules.add({ route: `DELETE /api_keys/${orphan}`, status: 400, count: 1 });
    expect(codeOf(await stack.destroy())).toBe("KP-REVOKE");
    expect((await stack.destroy()).errors).toEqual({});
    // The key itself stays.
    expect(await stack.live()).toHaveLength(1);
    expect(await stack.live()).not.toContain(orphan);
  });
});

describe("the previous key", () => {
  test("is revoked with the resource", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating({ rotationTriggers: { at: "1" } }) });
    await stack.up({ ci: rotating({ rotationTriggers: { at: "2" } }) });
    expect(sent(await stack.destroy())).toEqual([DELETE, DELETE]);
    expect(await stack.live()).toEqual([]);
  });

  test("that revokeNow names is revoked even with revokeOnDelete: false", async () => {
    const inputs = { revokeOnDelete: false, rotationTriggers: { at: "1" } };
    const stack = await TestStack.start();
    await stack.up({ ci: rotating(inputs) });
    await stack.up({ ci: rotating({ ...inputs, rotationTriggers: { at: "2" } }) });
    const [old, current] = await stack.live();
    const outputs = { ...stack.outputs(), revokeNow: old };
    stack.resources = stack.resources.map((each) => ({ ...each, outputs }));
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([current]);
  });
});

describe("a key that a list lacks", () => {
  test("is gone in a refresh only if its secret does not work any more", async () => {
    const { stack, id } = await withKey();
    await stack.plane.rules.add(await hiding(stack, id, 1));
    expect(codeOf(await stack.refresh())).toBe("KP-ANSWER");
    await stack.plane.state.revokeKey(id);
    const run = await stack.refresh();
    expect(run.steps.ci).toBe("gone");
    expect(run.warn).toEqual([expect.stringContaining(id)]);
  });

  test("is found in a second list if it is younger than a minute", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    await stack.plane.rules.add(await hiding(stack, String(stack.outputs().keyId), 1));
    expect(await stack.refresh()).toMatchObject({ steps: { ci: "same" }, requests: [LIST, LIST] });
  });

  test("and whose secret the state lacks, is gone only if a second list lacks it, and is reported", async () => {
    const { stack, id } = await withKey();
    withoutSecret(stack);
    await stack.plane.rules.add(await hiding(stack, id, 1));
    expect((await stack.refresh()).steps.ci).toBe("same");
    await stack.plane.state.revokeKey(id);
    const run = await stack.refresh();
    expect(run.steps.ci).toBe("gone");
    expect(run.warn.join()).toContain(`npx keyplane revoke ${id}`);
  });
});

describe("another account", () => {
  /** Lets the stack use another credential of the same account. */
  const otherCredential = async (stack: TestStack) => {
    const { key: apiKey } = await stack.plane.state.createKey("admin-2");
    stack.settings = { ...stack.settings, apiKey };
  };
  /** Lets it use another service, whose keys have other ids. */
  const otherOrigin = async (stack: TestStack) => {
    const plane = await stack.elsewhere();
    stack.settings = { ...stack.settings, baseUrl: plane.url, apiKey: plane.apiKey };
    return plane;
  };
  const verbs = [
    ["a refresh", (stack: TestStack) => stack.refresh()],
    ["a destroy", (stack: TestStack) => stack.destroy()],
  ] as const;

  test("another credential that lists the key manages it, and a refresh records it", async () => {
    const { stack } = await withKey();
    const { __account: before } = stack.outputs();
    await otherCredential(stack);
    expect((await stack.up({ ci: key() })).steps.ci).toBe("same");
    expect((await stack.refresh()).errors).toEqual({});
    expect(stack.outputs().__account).not.toBe(before);
    expect(String(stack.outputs().__account).split(".")[1]).toBe(String(before).split(".")[1]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(stack.resources).toEqual([]);
  });

  test.each(verbs)("%s with another credential fails if a list lacks a key that works", async (_, verb) => {
    const { stack, id } = await withKey();
    await otherCredential(stack);
    await stack.plane.rules.add(await hiding(stack, id));
    const run = await verb(stack);
    expect(codeOf(run)).toBe("KP-WRONG-ACCOUNT");
    expect(run.requests).not.toContain(DELETE);
    expect(stack.resources).toHaveLength(1);
  });

  test.each(verbs)(
    "%s with another credential takes a key for gone that no list has and that does not work",
    async (_, verb) => {
      const { stack, id } = await withKey();
      await otherCredential(stack);
      await stack.plane.state.revokeKey(id);
      const run = await verb(stack);
      expect(run.errors).toEqual({});
      expect(run.requests).not.toContain(DELETE);
      expect(stack.resources).toEqual([]);
    },
  );

  test.each(verbs)("%s with another credential fails if a list lacks a key that cannot be tried", async (_, verb) => {
    const { stack, id } = await withKey();
    withoutSecret(stack);
    await otherCredential(stack);
    await stack.plane.state.revokeKey(id);
    expect(codeOf(await verb(stack))).toBe("KP-WRONG-ACCOUNT");
    expect(stack.resources).toHaveLength(1);
  });

  test.each(verbs)("%s at another address fails, and no secret goes there", async (_, verb) => {
    const { stack } = await withKey();
    const plane = await otherOrigin(stack);
    expect(codeOf(await verb(stack))).toBe("KP-WRONG-ACCOUNT");
    const routes = (await plane.log()).map(({ method, route }) => `${method} ${route}`);
    expect(new Set(routes)).toEqual(new Set([LIST]));
    expect(stack.resources).toHaveLength(1);
  });

  const changed = [
    ["ApiKey", (at: string) => ({ ci: key({ rotationTriggers: { at } }) })],
    ["RotatingApiKey", (at: string) => ({ ci: rotating({ rotationTriggers: { at } }) })],
  ] as const;

  test.each(changed)("a changed %s gets no key at another address before the old one is found", async (_, program) => {
    const stack = await TestStack.start();
    await stack.up(program("1"));
    const before = stack.outputs();
    const plane = await otherOrigin(stack);
    expect(codeOf(await stack.up(program("2")))).toBe("KP-WRONG-ACCOUNT");
    expect(new Set((await plane.log()).map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(stack.outputs()).toEqual(before);
  });

  test.each(changed)("a changed %s gets no key with a credential whose list lacks the old one", async (_, program) => {
    const { stack, id } = await withKey(program("1"));
    await otherCredential(stack);
    await stack.plane.rules.add(await hiding(stack, id));
    expect(codeOf(await stack.up(program("2")))).toBe("KP-WRONG-ACCOUNT");
    expect(await stack.live()).toHaveLength(2);
  });

  test("a rotating key whose current key is gone gets no other one before the previous key is found", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating({ rotationTriggers: { at: "1" } }) });
    await stack.up({ ci: rotating({ rotationTriggers: { at: "2" } }) });
    await stack.plane.state.revokeKey(String(stack.outputs().keyId));
    await stack.clock.pass(2 * MINUTE);
    await stack.refresh();
    const plane = await otherOrigin(stack);
    expect(codeOf(await stack.up({ ci: rotating({ rotationTriggers: { at: "2" } }) }))).toBe("KP-WRONG-ACCOUNT");
    expect(await plane.count("POST")).toBe(0);
    expect(await stack.live()).toEqual([stack.outputs().previousKeyId]);
  });

  test("a rotating key does not revoke its previous key at another address", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating({ rotationTriggers: { at: "1" } }) });
    await stack.up({ ci: rotating({ rotationTriggers: { at: "2" } }) });
    const plane = await otherOrigin(stack);
    await stack.clock.pass(DAY + HOUR);
    const run = await stack.up({ ci: rotating({ rotationTriggers: { at: "2" } }) });
    expect(run.warn.join()).toContain("not in the account");
    expect((await plane.log({ method: "DELETE" })).length).toBe(0);
    expect(await stack.live()).toHaveLength(2);
    expect(stack.outputs()).toHaveProperty("previousKeyId");
  });
});
