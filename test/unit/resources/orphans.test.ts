import { describe, expect, test } from "vitest";
import { tagOf } from "../../../provider/keys/naming";
import { codeOf, key, type PendingOperation, type Program, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST } from "../../routes";
import { HOUR, SECOND } from "../../times";
import { DYNAMIC, provider, providerUrn, urnOf } from "../stack/saved-stack";

/** A stack whose first run was killed after the service had created the key of `ci`. */
async function killed(program: Program = { ci: key() }): Promise<{ stack: TestStack; left: string }> {
  const stack = await TestStack.start();
  await stack.up(program, { dies: "ci" });
  const [left] = await stack.live();
  if (left === undefined) throw new Error("no key was created");
  return { stack, left };
}

/** A rotating key whose rotation was killed after the service had created the next key. */
async function killedRotation(): Promise<{ stack: TestStack; current: string; left: string }> {
  const stack = await TestStack.start();
  const triggered = (at: string) => ({ ci: rotating({ rotationTriggers: { at } }) });
  await stack.up(triggered("1"));
  await stack.clock.pass(HOUR);
  await stack.up(triggered("2"), { dies: "ci" });
  const [current, left] = await stack.live();
  if (current === undefined || left === undefined) throw new Error("no key was created");
  return { stack, current, left };
}

const withProvider = (operation: PendingOperation, urn: string): PendingOperation => {
  return { ...operation, resource: { ...operation.resource, provider: `${urn}::p-2` } };
};

const first = { ci: rotating({ rotationTriggers: { at: "1" } }) };
const second = { ci: rotating({ rotationTriggers: { at: "2" } }) };

test("a deletion that is refused ends after what it began: the leftover is revoked, and its step proves the state", async () => {
  const { stack, current } = await killedRotation();
  stack.settings = { ...stack.settings, apiKey: String(stack.outputs().key) };
  const run = await stack.destroy();
  expect([codeOf(run), run.warn, await stack.live()]).toEqual(["KP-OWN-CREDENTIAL", [], [current]]);
});

describe("the requests of a run", () => {
  test("that creates N keys are one list and N creations, and the state is not asked for", async () => {
    const stack = await TestStack.start();
    const program = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`k${at}`, at % 2 ? key() : rotating()]));
    const run = await stack.up(program);
    expect(run.requests.sort()).toEqual([LIST, ...Array(12).fill(POST)]);
    expect([run.exports, run.histories]).toEqual([0, 0]);
    expect(await stack.up(program)).toMatchObject({ requests: [], exports: 0 });
    expect((await stack.refresh()).requests).toEqual([LIST]);
    expect((await stack.destroy()).requests.sort()).toEqual([...Array(12).fill(DELETE), LIST]);
  });

  test("ask for the list before the first creation, and for the state at most once", async () => {
    const { stack } = await killed({ ci: key(), db: key() });
    const run = await stack.up({ ci: key(), db: rotating(), e: key(), f: key() });
    expect(run.requests[0]).toBe(LIST);
    expect(run.requests.filter((each) => each === LIST)).toHaveLength(1);
    expect(run.exports).toBe(1);
  });

  test("do not include the state if all unused generated names are those of the run's own resources", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(), db: rotating() });
    await stack.plane.state.createKey("by-hand");
    const run = await stack.up({
      ci: key({ rotateAfter: "30d" }),
      db: rotating({ revokeNow: String(stack.outputs("db").keyId) }),
    });
    expect(run.errors).toEqual({});
    expect(run.exports).toBe(0);
  });
});

describe("a key that a killed creation left behind", () => {
  test.each([
    ["ApiKey", key()],
    ["RotatingApiKey", rotating()],
  ] as const)("is revoked by the next run, which creates another %s", async (_, declared) => {
    const { stack, left } = await killed({ ci: declared });
    const run = await stack.up({ ci: declared });
    expect(run.errors).toEqual({});
    expect(run.requests.sort()).toEqual([DELETE, LIST, POST].sort());
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect(await stack.live()).not.toContain(left);
    expect((await stack.refresh()).warn).toEqual([]);
  });

  test("is revoked by a run that changes another key", async () => {
    const stack = await TestStack.start();
    await stack.up({ db: rotating() });
    await stack.up({ db: rotating(), ci: key() }, { dies: "ci" });
    const run = await stack.up({ db: rotating({ revokeNow: String(stack.outputs("db").keyId) }) });
    expect(run.errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs("db").keyId]);
  });

  test("is revoked by a destroy that deletes another key", async () => {
    const stack = await TestStack.start();
    await stack.up({ db: key() });
    await stack.up({ db: key(), ci: key() }, { dies: "ci" });
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
  });

  test("is revoked although its replacement was killed, and the old key stays until the next one is there", async () => {
    const stack = await TestStack.start();
    const program = (at: string) => ({ ci: key({ rotationTriggers: { at } }) });
    await stack.up(program("1"));
    const old = stack.outputs().keyId;
    await stack.up(program("2"), { dies: "ci" });
    expect(await stack.live()).toHaveLength(2);
    expect(await stack.live()).toContain(old);
    const run = await stack.up(program("2"));
    expect(run.errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("is reported by a refresh, once, and stays live", async () => {
    const { stack, left } = await killed();
    await stack.up({ db: key() }, { target: "none" });
    const other = stack.beside();
    await other.up({ db: key(), e: rotating() });
    stack.resources = other.resources;
    const run = await stack.refresh();
    expect(run.requests).toEqual([LIST]);
    expect(run.warn).toEqual([expect.stringContaining(`npx keyplane revoke ${left}`)]);
    expect(await stack.live()).toContain(left);
  });

  test.each<[string, string, (stack: TestStack, left: string) => unknown]>([
    ["reported, if somebody used it", "reported", (stack, left) => stack.plane.state.useKey(left)],
    [
      "reported, if the state cannot be read",
      "reported",
      (stack) => {
        stack.answersWith = undefined;
      },
    ],
    [
      "reported, if the CLI answers for another stack",
      "reported",
      (stack) => {
        stack.answersWith = "another stack";
      },
    ],
    [
      "unreported, if a resource of the state has it",
      "",
      (stack, left) => {
        const outputs = { keyId: "5", previousKeyId: left };
        stack.resources = [{ kind: "RotatingApiKey", name: "old", id: "r-1", inputs: {}, outputs }];
      },
    ],
  ])("stays live, and is %s", async (_, reported, prepare) => {
    const { stack, left } = await killed();
    await prepare(stack, left);
    const run = await stack.up({ db: key() }, { target: "db" });
    expect(run.errors).toEqual({});
    expect(run.warn).toEqual(reported === "" ? [] : [expect.stringContaining(left)]);
    expect(await stack.live()).toContain(left);
  });

  test("stays live if it is not older than the process", async () => {
    const { stack, left } = await killed();
    // The process was started in the second in which the service has created the key.
    const startedAt = Date.parse((await stack.plane.liveKeys())[0]?.createdAt ?? "") + 999;
    const run = await stack.up({ db: key() }, { startedAt });
    expect(run.errors).toEqual({});
    expect(await stack.live()).toContain(left);
  });

  test("is revoked once the state can be read again", async () => {
    const { stack } = await killed();
    stack.answersWith = undefined;
    const run = await stack.up({ ci: key() });
    expect(run.exports).toBe(1);
    // A resource can have the key, so the command is one that reads the state.
    expect(run.warn.join()).toContain("npx keyplane sweep --stack dev");
    stack.answersWith = "this stack";
    await stack.up({ ci: key({ rotateAfter: "30d" }), db: key() });
    expect(await stack.live()).toEqual([stack.outputs("ci").keyId, stack.outputs("db").keyId]);
  });

  test("stays live and unreported while another provider of the run may be creating it", async () => {
    const { stack, left } = await killed();
    const other = providerUrn("eu");
    stack.pending = stack.pending.map((operation) => withProvider(operation, other));
    stack.more = [provider(other)];
    expect(await stack.up({ db: key() })).toMatchObject({ succeeded: true, warn: [], exports: 1 });
    expect(await stack.live()).toContain(left);
    await stack.clock.pass(HOUR);
    const { warn } = await stack.refresh();
    expect(warn).toEqual([expect.stringContaining(`npx keyplane revoke ${left}`)]);
    // The key is not young any more: its provider is the reason.
    expect(warn).toEqual([expect.stringContaining("an interrupted run of another provider")]);
    // Without that provider in the state, nobody can be creating it.
    stack.more = [];
    await stack.up({ db: key(), e: key() });
    expect(await stack.live()).not.toContain(left);
  });

  test("of the stack from which a resource was moved is not reported: that stack has its keys", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(), db: key() });
    const moved = stack.beside();
    // The outputs have the URN of before the move.
    moved.resources = stack.resources.slice(0, 1).map((each) => ({ ...each }));
    moved.stackName = "prod";
    expect((await moved.refresh()).warn).toEqual([]);
  });

  test("is reported by a refresh after the stack was renamed", async () => {
    const { stack, left } = await killed({ ci: key(), db: key() });
    stack.stackName = "prod";
    expect((await stack.refresh()).warn).toEqual([expect.stringContaining(`npx keyplane revoke ${left}`)]);
  });

  test("that cannot be revoked is a warning for an update, and an error for a deletion", async () => {
    const { stack, left } = await killed({ ci: key() });
    await stack.plane.rules.add({ route: `DELETE /api_keys/${left}`, status: 400, count: null });
    const run = await stack.up({ db: key() });
    expect(run.errors).toEqual({});
    expect(run.warn).toEqual([expect.stringContaining(`could not revoke key ${left}`)]);
    const destroyed = await stack.destroy();
    expect(codeOf(destroyed, "db")).toBe("KP-REVOKE");
    expect(destroyed.errors.db).toContain(left);
    await stack.plane.rules.clear();
    await stack.destroy();
    expect(await stack.live()).toEqual([]);
  });
});

describe("a key that nothing proves to be an orphan", () => {
  test("and that has the tag of the stack is reported by each run that changes a key, and stays live", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() }, { dies: "ci" });
    const [orphan] = await stack.live();
    stack.pending = [];
    for (const program of [{ ci: key() }, { ci: key(), db: key() }]) {
      const run = await stack.up(program);
      expect(run.errors).toEqual({});
      expect(run.warn).toEqual([expect.stringContaining(`npx keyplane revoke ${orphan}`)]);
    }
    expect((await stack.refresh()).warn).toEqual([expect.stringContaining(`npx keyplane revoke ${orphan}`)]);
    expect((await stack.destroy()).warn).toEqual([expect.stringContaining(`npx keyplane revoke ${orphan}`)]);
    expect(await stack.live()).toEqual([orphan]);
  });

  test("is another stack's: it is neither reported nor asked about, used or not", async () => {
    const stack = await TestStack.start();
    const elsewhere = tagOf("urn:pulumi:dev::shop::x");
    expect(elsewhere).not.toBe(tagOf(urnOf(`${DYNAMIC}ApiKey`, "ci")));
    const { id } = await stack.plane.state.createKey(`ci-${elsewhere}bbbbbbb`);
    await stack.plane.state.createKey(`db-${elsewhere}ccccccc`);
    await stack.plane.state.useKey(String(id));
    const before = await stack.live();
    expect(await stack.up({ ci: key() })).toMatchObject({ warn: [], info: [], succeeded: true, exports: 0 });
    expect(await stack.live()).toEqual([...before, stack.outputs().keyId]);
  });

  test("can be of a stack of the same name in another backend: one line reports all that are unused", async () => {
    const stack = await TestStack.start();
    const other = stack.beside();
    await other.up({ theirs: key(), more: rotating(), used: key() });
    await stack.plane.state.useKey(String(other.outputs("used").keyId));
    const before = await stack.live();
    const run = await stack.up({ ci: key(), app: rotating() });
    expect([run.errors, run.exports, run.warn.length]).toEqual([{}, 1, 1]);
    const [warned] = run.warn;
    for (const name of ["theirs", "more"]) expect(warned).toContain(String(other.outputs(name).keyId));
    expect(warned).not.toContain(String(other.outputs("used").keyId));
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual(before);
  });
});

describe("a key with the exact name of a killed creation", () => {
  test("is reported by the next run that asks for the state, and stays live", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key({ name: "deploy" }), more: key() }, { dies: "ci" });
    const orphan = (await stack.plane.liveKeys()).find(({ name }) => name === "deploy");
    stack.pending = stack.pending.slice(0, 1);
    await stack.up({ other: rotating() }, { dies: "other" });
    const run = await stack.up({ more: key(), last: key() });
    expect(run.errors).toEqual({});
    expect(run.warn).toEqual([expect.stringContaining(`npx keyplane revoke ${orphan?.id}`)]);
    expect(await stack.live()).toContain(String(orphan?.id));
  });

  test("is not reported beside its own creation, which says that the name is taken", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key({ name: "deploy" }), more: key() }, { dies: "ci" });
    const run = await stack.up({ ci: key({ name: "deploy" }) });
    expect([codeOf(run), run.warn]).toEqual(["KP-NAME-TAKEN", []]);
  });
});

describe("the next key of a killed rotation", () => {
  test("is revoked by the run that rotates again, under a number that no key had", async () => {
    const { stack, current, left } = await killedRotation();
    const run = await stack.up(second);
    expect(run.errors).toEqual({});
    expect([run.exports, run.histories]).toEqual([1, 1]);
    expect(await stack.live()).toEqual([current, stack.outputs().keyId]);
    expect(await stack.live()).not.toContain(left);
    expect(stack.outputs()).toMatchObject({ previousKeyId: current, attempts: 3 });
    expect(String(stack.outputs().name)).toMatch(/-3$/);
  });

  test("is revoked by a destroy", async () => {
    const { stack } = await killedRotation();
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
  });

  test("is reported by a refresh, and stays live", async () => {
    const { stack, left } = await killedRotation();
    expect((await stack.refresh()).warn).toEqual([expect.stringContaining(left)]);
    expect(await stack.live()).toContain(left);
  });

  test("is reported, and keeps its name, if a successful run may have handed it out before an old state was restored", async () => {
    const stack = await TestStack.start();
    await stack.up(first);
    const old = stack.resources;
    await stack.up(second);
    const handedOut = stack.outputs().keyId;
    await stack.clock.pass(HOUR);
    stack.resources = old;
    const run = await stack.up(second);
    expect(run.errors).toEqual({});
    expect(run.warn).toEqual([expect.stringContaining(String(handedOut))]);
    expect(await stack.live()).toContain(handedOut);
    expect(String(stack.outputs().name)).toMatch(/-3$/);
  });

  test.each<[string, (stack: TestStack, left: string) => unknown]>([
    ["it was used", (stack, left) => stack.plane.state.useKey(left)],
    [
      "the history does not reach back before it",
      (stack) => {
        stack.history = [];
      },
    ],
    [
      "the history cannot be read",
      (stack) => {
        stack.history = undefined;
      },
    ],
    [
      "the state cannot be read",
      (stack) => {
        stack.answersWith = undefined;
      },
    ],
  ])("is reported, and stays live, if %s", async (_, prepare) => {
    const { stack, left } = await killedRotation();
    await prepare(stack, left);
    const run = await stack.up(second);
    expect(run.errors).toEqual({});
    expect(run.warn.join()).toContain(left);
    expect(await stack.live()).toContain(left);
  });
});

describe.each(["live", "late"] as const)("a service that shows the changes of a run %s", (service) => {
  test("shows what a killed creation left behind: it is revoked", async () => {
    const { stack, left } = await killed({ ci: key(), db: key() });
    stack.service = service;
    const run = await stack.up({ ci: key(), db: rotating() });
    expect(run.errors).toEqual({});
    expect(run.exports).toBe(1);
    expect(await stack.live()).not.toContain(left);
  });

  test("shows it to a destroy and to a refresh", async () => {
    const { stack, left } = await killed({ ci: key(), db: key() });
    stack.service = service;
    expect((await stack.refresh()).warn).toEqual([expect.stringContaining(`npx keyplane revoke ${left}`)]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
  });

  test("shows the next attempt of a killed rotation: it is revoked", async () => {
    const { stack, current, left } = await killedRotation();
    stack.service = service;
    expect((await stack.up(second)).errors).toEqual({});
    expect(await stack.live()).toEqual([current, stack.outputs().keyId]);
    expect(await stack.live()).not.toContain(left);
  });

  test("replaces a key with an exact name, without a crash", async () => {
    const stack = await TestStack.start();
    stack.service = service;
    const program = (at: string) => ({ ci: key({ name: "deploy", rotationTriggers: { at } }) });
    await stack.up(program("1"));
    expect((await stack.up(program("2"))).errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("does not show another stack: nothing is revoked, and the orphan is reported", async () => {
    const { stack, left } = await killed({ ci: key(), db: key() });
    stack.service = service;
    stack.answersWith = "another stack";
    stack.resources = [];
    const other = stack.beside();
    await other.up({ db: key() });
    stack.resources = other.resources.map((each) => ({ ...each, id: "7" }));
    const run = await stack.destroy();
    expect(run.warn.join()).toContain(left);
    expect(await stack.live()).toContain(left);
  });
});

test("a key that another process of the run has made is left alone, although a late state lacks it", async () => {
  const stack = await TestStack.start();
  stack.service = "late";
  const other = stack.beside();
  await other.up({ theirs: key() });
  // The run began before the other process made its key.
  const flags = { startedAt: stack.clock.now() + SECOND, beganAt: stack.clock.now() - HOUR };
  expect(await stack.up({ ci: key() }, flags)).toMatchObject({ warn: [], succeeded: true });
  expect(await stack.live()).toHaveLength(2);
});

test("a process reports a key once, however many resources see it", async () => {
  const { stack, left } = await killed();
  const other = stack.beside();
  await other.up({ db: key(), e: rotating(), f: key() });
  stack.resources = other.resources;
  await stack.clock.pass(SECOND);
  const told = (await stack.refresh()).warn.filter((text) => text.includes(left));
  expect(told).toHaveLength(1);
});
