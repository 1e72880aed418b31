import { describe, expect, test } from "vitest";
import { attemptIn } from "../../../provider/keys/naming";
import type { Rule } from "../../../testing/control-plane";
import { codeOf, key, type Outcome, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, GET_OPERATION, LIST, POST, PROJECTS } from "../../routes";
import { DAY, HOUR } from "../../times";

/** The ways in which the answer to a POST can be lost. `test/unit/http/` has the others that count as lost. */
const LOST: readonly (readonly [string, Omit<Rule, "route">])[] = [
  ["a timeout without effect", { fault: "hang" }],
  ["a reset after the key was created", { fault: "reset", commit: "before" }],
  ["an answer without a key", { omit: ["key"] }],
  ["status 500 after the key was created", { status: 500, commit: "before" }],
];

/** A stack whose service answers in another way. */
async function startWith(...rules: readonly Rule[]): Promise<TestStack> {
  const stack = await TestStack.start();
  for (const rule of rules) await stack.plane.rules.add(rule);
  return stack;
}

const lost = (rule: Partial<Rule> = {}): Rule => ({ route: POST, fault: "close", commit: "before", ...rule });
const posts = ({ requests }: Outcome) => requests.filter((each) => each === POST).length;

describe("a creation whose answer is lost", () => {
  test.each(LOST)("ends with one live key, under the next number, after %s", async (_, rule) => {
    const stack = await startWith({ route: POST, ...rule });
    const run = await stack.up({ ci: key() });
    expect(run.errors).toEqual({});
    expect(posts(run)).toBe(2);
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect(attemptIn(String(stack.outputs().name))).toBe(2);
    expect(stack.outputs()).toMatchObject({ attempts: 2, key: expect.stringMatching(/^kp_/) });
  });

  test("never revokes somebody else's key whose id is in the answer", async () => {
    const stack = await TestStack.start();
    const stranger = await stack.plane.state.createKey("somebody-elses");
    await stack.plane.rules.add({ route: POST, patch: { id: stranger.id }, omit: ["key"] });
    await stack.up({ ci: key() });
    expect(await stack.live()).toEqual([String(stranger.id), stack.outputs().keyId]);
  });

  test("keeps the name for later if no key shows up, and each run of an hour looks for it with one list", async () => {
    const stack = await startWith(lost({ commit: "late" }));
    await stack.up({ ci: key() });
    const { lostNames, keyId } = stack.outputs();
    expect(lostNames).toHaveLength(1);
    const again = await stack.up({ ci: key() });
    expect(again.steps.ci).toBe("update");
    expect(again.requests.filter((each) => each !== LIST)).toEqual([]);
    expect(stack.outputs().lostNames).toEqual(lostNames);
    await stack.plane.commitLate();
    expect(await stack.live()).toHaveLength(2);
    await stack.up({ ci: key() });
    expect(await stack.live()).toEqual([keyId]);
    expect(stack.outputs()).not.toHaveProperty("lostNames");
    expect((await stack.up({ ci: key() })).steps.ci).toBe("same");
  });

  test("forgets the name after an hour", async () => {
    const stack = await startWith(lost({ commit: "late" }));
    await stack.up({ ci: key() });
    await stack.clock.pass(HOUR);
    await stack.up({ ci: key() });
    expect(stack.outputs()).not.toHaveProperty("lostNames");
  });

  test("is looked for when the resource is deleted, which reports the name if nothing shows up", async () => {
    const stack = await startWith(lost({ commit: "late" }), lost({ commit: "late" }));
    await stack.up({ a: key(), b: key() });
    await stack.plane.commitLate();
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
  });

  test("reports a key whose secret is lost, and that somebody used all the same", async () => {
    const stack = await startWith(lost({ commit: "late" }));
    await stack.up({ ci: key() });
    await stack.plane.commitLate();
    const [, late] = await stack.live();
    await stack.plane.state.useKey(String(late));
    const run = await stack.up({ ci: key() });
    expect(run.warn.join()).toContain(`npx keyplane revoke ${late}`);
    expect(await stack.live()).toContain(late);
    expect(stack.outputs()).not.toHaveProperty("lostNames");
  });

  test("records its orphan if that cannot be revoked, and the next run revokes it", async () => {
    const stack = await startWith(lost(), { route: DELETE, status: 400 });
    const run = await stack.up({ ci: key() });
    const { keyId, pendingRevocations } = stack.outputs();
    expect(run.errors).toEqual({});
    expect((await stack.live()).filter((id) => id !== keyId)).toEqual(pendingRevocations);
    expect((await stack.up({ ci: key() })).steps.ci).toBe("update");
    expect(await stack.live()).toEqual([keyId]);
    expect(stack.outputs()).not.toHaveProperty("pendingRevocations");
  });
});

describe.each([
  ["ApiKey", key()],
  ["RotatingApiKey", rotating()],
] as const)("an %s that got no key", (_, declared) => {
  test("has what its creation left on record, and the next run creates the key in its place, under the same id", async () => {
    const stack = await startWith(lost({ count: 3 }), { route: DELETE, status: 400, count: 3 });
    const failed = await stack.up({ ci: declared });
    expect(codeOf(failed)).toBe("KP-UNSETTLED");
    const orphans = await stack.live();
    expect(orphans).toHaveLength(3);
    expect(stack.outputs()).toMatchObject({ pendingRevocations: orphans, attempts: 3 });
    expect(stack.outputs()).not.toHaveProperty("keyId");
    const id = stack.find("ci")?.id;
    expect(id).not.toBe("");
    const run = await stack.up({ ci: declared });
    expect(run.steps.ci).toBe("update");
    expect(run.errors).toEqual({});
    expect(stack.find("ci")?.id).toBe(id);
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect(attemptIn(String(stack.outputs().name))).toBe(4);
    expect(await stack.up({ ci: declared })).toMatchObject({ steps: { ci: "same" }, requests: [] });
    expect((await stack.refresh()).steps.ci).toBe("same");
    await stack.destroy();
    expect(await stack.live()).toEqual([]);
  });

  test("has the name on record if the list cannot be read, sends no other POST, and is deleted without a key", async () => {
    const stack = await startWith(lost(), { route: LIST, skip: 1, status: 500, count: null });
    const failed = await stack.up({ ci: declared });
    expect(codeOf(failed)).toBe("KP-UNSETTLED");
    expect(posts(failed)).toBe(1);
    expect(stack.outputs().lostNames).toHaveLength(1);
    await stack.plane.rules.clear();
    expect((await stack.refresh()).errors).toEqual({});
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
    expect(stack.resources).toEqual([]);
  });

  test("is not in the state if its creation has left nothing", async () => {
    const stack = await startWith({ route: POST, status: 403, count: null });
    const run = await stack.up({ ci: declared });
    expect(posts(run)).toBe(1);
    expect(stack.resources).toEqual([]);
    expect(JSON.stringify(run.errors)).not.toContain(stack.plane.apiKey);
  });
});

describe("a creation", () => {
  describe("after a rotation that was killed, whose key no list has yet", () => {
    const triggered = (n: number) => ({ app: rotating({ rotationTriggers: { n: `${n}` } }) });
    const lagging = async (count: number | null) => {
      const stack = await TestStack.start();
      await stack.up(triggered(1));
      const body = await stack.listed();
      await stack.up(triggered(2), { dies: "app" });
      const [, left = ""] = await stack.live();
      await stack.plane.rules.add({ route: LIST, status: 200, body, count });
      return { stack, left };
    };

    test("revokes the key whose name is taken if the next list has it, and takes the next number", async () => {
      const { stack, left } = await lagging(1);
      expect((await stack.up(triggered(2))).errors).toEqual({});
      expect(attemptIn(String(stack.outputs("app").name))).toBe(3);
      expect(stack.outputs("app")).not.toHaveProperty("lostNames");
      expect(await stack.live()).not.toContain(left);
    });

    test("records the name otherwise, so that the next run revokes the key", async () => {
      const { stack, left } = await lagging(null);
      expect((await stack.up(triggered(2))).errors).toEqual({});
      expect(stack.outputs("app").lostNames).toHaveLength(1);
      expect(await stack.live()).toContain(left);
      await stack.plane.rules.clear();
      await stack.up(triggered(2));
      expect(stack.outputs("app")).not.toHaveProperty("lostNames");
      expect(await stack.live()).not.toContain(left);
    });
  });

  test("gives up after three names that are taken, and records them", async () => {
    const stack = await startWith({ route: POST, status: 409, count: null });
    const run = await stack.up({ ci: key() });
    expect(codeOf(run)).toBe("KP-UNSETTLED");
    expect(posts(run)).toBe(3);
    expect(stack.outputs().lostNames).toHaveLength(3);
  });

  test("fails without a POST if the list cannot be read, and only one resource has the whole message", async () => {
    const stack = await startWith({ route: LIST, status: 401, count: null });
    const run = await stack.up({ ci: key(), db: rotating() });
    expect(posts(run)).toBe(0);
    expect([codeOf(run, "ci"), codeOf(run, "db")]).toEqual(["KP-AUTH", "KP-AUTH"]);
    expect(Object.values(run.errors).filter((text) => text.includes('see the error of "ci"'))).toHaveLength(1);
  });

  test("reports wrong settings at each resource, but in full only once, without a request", async () => {
    const stack = await TestStack.start({ pollInterval: "soon" });
    const run = await stack.up({ ci: key(), db: rotating() });
    expect(run.errors.ci).toContain("keyplane:pollInterval");
    expect(run.errors.db).toMatch(/see the error of "ci" \[KP-CONFIG\]$/);
    expect(run.requests).toEqual([]);
  });

  test("can have a name and a prefix with more than 40 letters and digits in a row", async () => {
    const stack = await TestStack.start();
    const [name, namePrefix] = [`ci${"0123456789".repeat(6)}`, `p${"0123456789".repeat(4)}1234`];
    const run = await stack.up({ ci: key({ name }), db: rotating({ namePrefix }) });
    expect(run.errors).toEqual({});
    expect(stack.outputs("ci").name).toBe(name);
    expect(stack.outputs("db").name).toMatch(new RegExp(`^${namePrefix}-`));
    expect((await stack.refresh()).errors).toEqual({});
    expect(await stack.live()).toHaveLength(2);
  });

  test("has the prefix of the program, else the name of the resource", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key({ namePrefix: "deploy" }), My_Key: rotating() });
    expect(stack.outputs("ci").name).toMatch(/^deploy-[a-z2-7]{12}$/);
    expect(stack.outputs("My_Key").name).toMatch(/^my-key-[a-z2-7]{12}$/);
  });
});

describe("an exact name", () => {
  const exact = (inputs: object = {}) => ({ ci: key({ name: "deploy", ...inputs }) });

  test("is requested once, and is free again when the key is replaced", async () => {
    const stack = await TestStack.start();
    await stack.up(exact());
    expect((await stack.up(exact({ rotateAfter: "30d" }))).steps.ci).toBe("update");
    const replaced = await stack.up(exact({ rotationTriggers: { a: "1" }, rotateAfter: "30d" }));
    expect(replaced).toMatchObject({ steps: { ci: "replace" }, succeeded: true });
    expect(replaced.requests.filter((each) => each !== LIST)).toEqual([DELETE, POST]);
    expect(await stack.liveNames()).toEqual(["deploy"]);
  });

  test("whose old key cannot be revoked fails in its creation, for which no deletion waits, and nothing is lost", async () => {
    const stack = await TestStack.start();
    await stack.up(exact({ rotationTriggers: { a: "1" } }));
    const [old] = await stack.live();
    await stack.plane.rules.add({ route: DELETE, status: 403 });
    const failed = await stack.up(exact({ rotationTriggers: { a: "2" } }));
    expect([codeOf(failed), posts(failed)]).toEqual(["KP-AUTH", 0]);
    expect(stack.outputs().keyId).toBe(old);
    expect(await stack.up(exact({ rotationTriggers: { a: "2" } }))).toMatchObject({
      steps: { ci: "replace" },
      succeeded: true,
    });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("whose old key was revoked is on record without a key if none can be created, and gets one in the next run", async () => {
    const stack = await TestStack.start();
    await stack.up(exact({ rotationTriggers: { a: "1" } }));
    await stack.plane.rules.add({ route: POST, status: 403 });
    expect(codeOf(await stack.up(exact({ rotationTriggers: { a: "2" } })))).toBe("KP-AUTH");
    expect(stack.find("ci")?.notReady).toBeDefined();
    expect(stack.outputs()).not.toHaveProperty("keyId");
    const run = await stack.up(exact({ rotationTriggers: { a: "2" } }));
    expect(run).toMatchObject({ steps: { ci: "update" }, succeeded: true });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect(stack.resources).toHaveLength(1);
  });

  test.each<[string, (stack: TestStack) => unknown]>([
    [
      "Pulumi would keep the key",
      (stack) => {
        stack.resources = stack.resources.map((each) => ({ ...each, retained: true }));
      },
    ],
    [
      "the state cannot be read",
      (stack) => {
        stack.answersWith = undefined;
      },
    ],
  ])("is not freed by a replacement if %s", async (_, prepare) => {
    const stack = await TestStack.start();
    await stack.up(exact({ rotationTriggers: { a: "1" } }));
    const live = await stack.live();
    await prepare(stack);
    const run = await stack.up(exact({ rotationTriggers: { a: "2" } }));
    expect([codeOf(run), run.requests.includes(DELETE)]).toEqual(["KP-NAME-TAKEN", false]);
    expect(await stack.live()).toEqual(live);
  });

  test("waits if the service still keeps the name of a key that the run has revoked", async () => {
    const stack = await TestStack.start();
    await stack.up(exact({ rotationTriggers: { a: "1" } }));
    await stack.plane.rules.add({ route: POST, status: 409, count: 2 });
    const run = await stack.up(exact({ rotationTriggers: { a: "2" } }));
    expect(run.errors).toEqual({});
    expect(posts(run)).toBe(3);
  });

  test("that a key has is refused before the POST, with the command", async () => {
    const stack = await TestStack.start();
    const { id } = await stack.plane.state.createKey("deploy");
    const run = await stack.up(exact());
    expect([codeOf(run), posts(run)]).toEqual(["KP-NAME-TAKEN", 0]);
    expect(run.errors.ci).toContain(`npx keyplane revoke ${id}`);
    expect(await stack.live()).toEqual([String(id)]);
  });

  test.each<[string, (stack: TestStack) => Promise<unknown>, string]>([
    [
      "another resource of the stack",
      (stack) => stack.up({ before: key({ name: "deploy" }) }),
      'aliases: ["urn:pulumi:',
    ],
    [
      "the resource itself, which Pulumi keeps,",
      async (stack) => {
        await stack.up(exact({ rotationTriggers: { a: "1" } }));
        stack.resources = stack.resources.map((each) => ({ ...each, retained: true }));
      },
      "retainOnDelete",
    ],
    [
      "a resource that was replaced and is left to be deleted",
      async (stack) => {
        await stack.up({ before: key({ name: "deploy" }) });
        stack.resources = stack.resources.map((each) => ({ ...each, replaced: true }));
      },
      "once without this one",
    ],
    [
      "a RotatingApiKey, which an ApiKey cannot continue,",
      async (stack) => {
        const id = String((await stack.plane.state.createKey("deploy")).id);
        const outputs = { keyId: id, name: "deploy" };
        stack.resources = [{ kind: "RotatingApiKey", name: "other", id: "r", inputs: {}, outputs }];
      },
      "Choose another name",
    ],
    [
      "something in a state that cannot be read",
      async (stack) => {
        await stack.plane.state.createKey("deploy");
        stack.answersWith = undefined;
      },
      "Choose another name",
    ],
  ])("that %s has is refused with what to do, and nobody is reported to revoke the key", async (_, prepare, remedy) => {
    const stack = await TestStack.start();
    await prepare(stack);
    const live = await stack.live();
    const run = await stack.up(exact({ rotationTriggers: { a: "2" } }), { target: "ci" });
    expect([codeOf(run), posts(run)]).toEqual(["KP-NAME-TAKEN", 0]);
    expect(run.errors.ci).toContain(remedy);
    expect(run.errors.ci).not.toContain("keyplane revoke");
    expect(await stack.live()).toEqual(live);
  });

  test("that somebody takes meanwhile is a conflict, and that key stays", async () => {
    const stack = await startWith({ route: POST, status: 409, count: null });
    const run = await stack.up(exact());
    expect([codeOf(run), posts(run), stack.resources]).toEqual(["KP-CONFLICT", 1, []]);
  });

  test("of an unused key is taken over with revokeUnused", async () => {
    const stack = await TestStack.start();
    await stack.plane.state.createKey("deploy");
    const run = await stack.up(exact({ onNameConflict: "revokeUnused" }));
    expect(run).toMatchObject({ succeeded: true, exports: 1 });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("of a key that can be in use is refused with revokeUnused, because the service shows uses late", async () => {
    const stack = await TestStack.start();
    await stack.plane.state.switch({ lastUsedDelayMs: 3 * HOUR });
    // The other key has been used since the last use that is shown.
    await stack.up({ other: key() });
    await stack.clock.pass(4 * HOUR);
    const { id, key: secret } = await stack.plane.state.createKey("deploy");
    await fetch(`${stack.plane.url}/projects`, { headers: { authorization: `Bearer ${secret}` } });
    const run = await stack.up({ other: key(), ...exact({ onNameConflict: "revokeUnused" }) });
    expect([codeOf(run), posts(run)]).toEqual(["KP-NAME-TAKEN", 0]);
    expect(await stack.live()).toContain(String(id));
  });

  test("goes to one of two resources in a run, even with revokeUnused", async () => {
    const stack = await TestStack.start();
    const inputs = { name: "deploy", onNameConflict: "revokeUnused" };
    const run = await stack.up({ ci: key(inputs), other: key(inputs) });
    expect([posts(run), Object.keys(run.errors)]).toEqual([1, ["other"]]);
    expect(run.errors.other).toContain("KP-NAME-TAKEN");
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test.each<[string, (stack: TestStack, id: string) => unknown]>([
    ["was used", (stack, id) => stack.plane.state.useKey(id)],
    [
      "another resource of the stack has",
      (stack, id) => {
        const outputs = { keyId: id, name: "deploy" };
        stack.resources = [{ kind: "RotatingApiKey", name: "other", id: "r", inputs: {}, outputs }];
      },
    ],
    [
      "a resource of the stack may have, whose state cannot be read",
      (stack) => {
        stack.answersWith = undefined;
      },
    ],
  ])("of a key that %s is refused, even with revokeUnused", async (_, prepare) => {
    const stack = await TestStack.start();
    const id = String((await stack.plane.state.createKey("deploy")).id);
    await prepare(stack, id);
    const run = await stack.up(exact({ onNameConflict: "revokeUnused" }), { target: "ci" });
    expect([codeOf(run), posts(run)]).toEqual(["KP-NAME-TAKEN", 0]);
    expect(await stack.live()).toEqual([id]);
  });

  test.each([
    ["and no key has the name", { commit: "never" as const }],
    ["and a key has the name", { commit: "before" as const }],
  ])("whose answer is lost is requested once %s, revokes nothing, and is on record without a key", async (_, rule) => {
    const stack = await startWith(lost({ ...rule, count: null }));
    const run = await stack.up(exact());
    expect([codeOf(run), posts(run)]).toEqual(["KP-UNSETTLED", 1]);
    expect(stack.outputs()).toMatchObject({ lostNames: ["deploy"] });
    expect(stack.outputs()).not.toHaveProperty("keyId");
    expect(run.requests).not.toContain(DELETE);
  });

  describe("whose answer is lost", () => {
    const lostKey = async () => {
      const stack = await startWith(lost());
      const run = await stack.up(exact());
      const [id] = await stack.live();
      const command = `npx keyplane revoke ${id}`;
      expect(run.errors.ci).toContain(command);
      return { stack, id: String(id), command };
    };

    test("is reported with its key by each run, none of which revokes it", async () => {
      const { stack, id, command } = await lostKey();
      for (const _ of [1, 2]) {
        const again = await stack.up(exact());
        expect([codeOf(again), posts(again), again.warn]).toEqual(["KP-NAME-TAKEN", 0, []]);
        expect(again.errors.ci).toContain(command);
      }
      const refresh = await stack.refresh();
      expect([refresh.requests, refresh.warn]).toEqual([[LIST], [expect.stringContaining(command)]]);
      await stack.clock.pass(2 * HOUR);
      const destroy = await stack.destroy();
      expect([destroy.errors, destroy.warn]).toEqual([{}, [expect.stringContaining(command)]]);
      expect([stack.resources, await stack.live()]).toEqual([[], [id]]);
    });

    test("gets its key in the run after that key was revoked, and nothing is looked for any more", async () => {
      const { stack, id } = await lostKey();
      await stack.plane.state.revokeKey(id);
      const run = await stack.up(exact());
      expect([run.steps.ci, run.errors]).toEqual(["update", {}]);
      expect(stack.outputs()).not.toHaveProperty("lostNames");
      expect((await stack.up(exact())).steps.ci).toBe("same");
      expect(await stack.live()).toEqual([stack.outputs().keyId]);
    });

    test("gets its key with revokeUnused in the next run", async () => {
      const { stack, id } = await lostKey();
      const run = await stack.up(exact({ onNameConflict: "revokeUnused" }));
      expect(run.errors).toEqual({});
      expect(await stack.live()).toEqual([stack.outputs().keyId]);
      expect(await stack.live()).not.toContain(id);
    });
  });

  test("that the program no longer sets stays until the key is replaced", async () => {
    const stack = await TestStack.start();
    await stack.up(exact({ rotationTriggers: { a: "1" } }));
    expect((await stack.up({ ci: key({ rotationTriggers: { a: "1" } }) })).steps.ci).not.toBe("replace");
    expect(await stack.liveNames()).toEqual(["deploy"]);
    const run = await stack.up({ ci: key({ rotationTriggers: { a: "2" } }) });
    expect(run).toMatchObject({ steps: { ci: "replace" }, succeeded: true });
    expect(await stack.liveNames()).toEqual([expect.stringMatching(/^ci-[a-z2-7]{12}$/)]);
  });

  test("that is the generated one of the key changes nothing; another one replaces the key", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    const { name } = stack.outputs();
    expect((await stack.up({ ci: key({ name }) })).steps.ci).not.toBe("replace");
    expect((await stack.up(exact())).steps.ci).toBe("replace");
    expect(await stack.liveNames()).toEqual(["deploy"]);
  });
});

describe("maxAge", () => {
  test("puts the deadline into the name, by the service's clock and with the requests of any other key", async () => {
    const stack = await TestStack.start();
    await stack.plane.clock.set({ offsetMs: 30 * DAY });
    const run = await stack.up({ ci: key({ maxAge: "30d" }), db: rotating({ maxAge: "30d" }) });
    expect(run.requests).toEqual([LIST, POST, POST]);
    const expected = stack.clock.now() + 60 * DAY;
    for (const name of ["ci", "db"]) {
      expect(Math.abs(Date.parse(String(stack.outputs(name).expiresAt)) - expected)).toBeLessThan(2 * 60_000);
      expect(stack.outputs(name).name).toMatch(/-exp\d{8}t\d{4}z[a-z2-7]{4}-[a-z2-7]{12}$/);
    }
    expect(run.warn.join()).toContain("this machine's clock");
  });
});

describe("a key that must become ready", () => {
  const starting = (course: object): Rule => ({ route: POST, operations: [{ action: "start_compute", ...course }] });

  test.each([
    ["ApiKey", key],
    ["RotatingApiKey", rotating],
  ] as const)("is recorded with its secret, and the next run resumes without another POST (%s)", async (_, declare) => {
    const stack = await startWith(starting({ runningMs: 120_000 }));
    const program = { ci: declare({ operationTimeout: "60s" }) };
    const failed = await stack.up(program);
    expect(codeOf(failed)).toBe("KP-NOT-READY");
    const { keyId, key: secret } = stack.outputs();
    expect(await stack.plane.secretsEverIssued()).toContain(secret);
    expect(stack.outputs().pending).toEqual([expect.objectContaining({ action: "start_compute" })]);
    await stack.refresh();
    expect(stack.outputs().pending).toHaveLength(1);
    await stack.clock.pass(HOUR);
    const run = await stack.up(program);
    expect(run).toMatchObject({ steps: { ci: "update" }, succeeded: true });
    expect(run.requests).toContain(GET_OPERATION);
    expect(posts(run)).toBe(0);
    expect(stack.outputs()).toMatchObject({ keyId, key: secret });
    expect(stack.outputs()).not.toHaveProperty("pending");
  });

  test("is replaced if its operation failed, and is revoked even with revokeOnDelete: false", async () => {
    const stack = await startWith(starting({ outcome: "failed" }));
    const program = { ci: key({ revokeOnDelete: false }) };
    expect(codeOf(await stack.up(program))).toBe("KP-NOT-READY");
    const { keyId } = stack.outputs();
    const run = await stack.up(program);
    expect(run).toMatchObject({ steps: { ci: "replace" }, succeeded: true });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect(stack.outputs().keyId).not.toBe(keyId);
  });

  test("waits for its projects before the POST", async () => {
    const stack = await TestStack.start();
    const { id } = await stack.plane.state.createProject();
    await stack.plane.state.startOperations({ projectId: id, runningMs: 12_000 });
    const run = await stack.up({ ci: key({ waitForProjects: [id] }), db: rotating({ waitForProjects: [id] }) });
    expect(run.errors).toEqual({});
    expect(run.requests.slice(-2)).toEqual([POST, POST]);
    await stack.plane.state.startOperations({ projectId: id, outcome: "failed" });
    const failed = await stack.up({ e: key({ waitForProjects: [id] }) }, { target: "e" });
    expect(posts(failed)).toBe(0);
    expect(stack.find("e")).toBeUndefined();
  });

  test("is tried once with verify", async () => {
    const stack = await TestStack.start();
    const run = await stack.up({ ci: key({ verify: true }), db: rotating({ verify: true }) });
    expect(run.requests.filter((each) => each === PROJECTS)).toHaveLength(2);
    expect((await stack.up({ ci: key({ verify: true }), db: rotating({ verify: true }) })).requests).toEqual([]);
  });

  test("and that the service refuses, is replaced by the next run", async () => {
    const stack = await startWith({ route: PROJECTS, status: 401, count: null });
    expect(codeOf(await stack.up({ ci: key({ verify: true }) }))).toBe("KP-NOT-READY");
    await stack.plane.rules.clear();
    expect(await stack.up({ ci: key({ verify: true }) })).toMatchObject({ steps: { ci: "replace" }, succeeded: true });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });
});
