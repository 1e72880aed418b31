import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../state/values";
import { Targets } from "../steps/targets";
import { inWords, type Program, type Register, Remembering, run, urnOf } from "./in-memory";

const on = (...names: string[]) => ({
  dependencies: names.map((name) => urnOf(name)),
  propertyDependencies: { v: names.map((name) => urnOf(name)) },
});

describe("a replacement with deleteBeforeReplace", () => {
  const program = (inputs: object) => async (register: Register) => {
    await register("a", { replaceOnV: true, dbr: true, ...inputs });
  };

  test("is resumed after its creation failed, without a second delete", async () => {
    const { state } = await run({ program: program({ v: 1 }) });
    const failed = await run({ state, program: program({ v: 2, fail: "create" }) });
    expect(failed.steps).toEqual(["delete-replaced a", "replace a", "create-replacement a failed"]);
    expect(inWords(failed.state)).toEqual(["a a-1 pendingReplacement"]);
    const again = await run({ state: failed.state, program: program({ v: 2 }) });
    expect(again.calls).toEqual(["check a", "diff a", "check a", "create a"]);
    expect(inWords(again.state)).toEqual(["a a-1"]);
  });

  test("keeps the old resource unchanged if the delete fails", async () => {
    const { state } = await run({ program: program({ v: 1, fail: "delete" }) });
    const failed = await run({ state, program: program({ v: 2 }) });
    expect(failed.steps).toEqual(["delete-replaced a failed"]);
    expect(inWords(failed.state)).toEqual(["a a-1"]);
  });

  test("forgets a deleted resource that the program no longer declares", async () => {
    const { state } = await run({ program: program({ v: 1 }) });
    const failed = await run({ state, program: program({ v: 2, fail: "create" }) });
    const gone = await run({ state: failed.state });
    expect(gone.calls).toEqual([]);
    expect(gone.steps).toEqual(["remove-pending-replace a"]);
    expect(gone.state).toEqual([]);
  });

  test("is refused if a protected dependent would have to be deleted first", async () => {
    const both = (v: number) => async (register: Register) => {
      const a = await register("a", { v, replaceOnV: true, dbr: true });
      const out = a.state.outputs?.out ?? "";
      await register("b", { v: out, replaceOnV: true }, { ...on("a"), protect: true });
    };
    const { state } = await run({ program: both(1) });
    const refused = await run({ state, program: both(2) });
    expect(refused.result).toBe("failed");
    expect(refused.errors[0]).toContain(`unable to replace resource "${urnOf("b")}"`);
    expect(refused.calls).not.toContain("delete b b-2");
  });
});

describe("a group of resources", () => {
  test("is replaced together with deletedWith, and only one of them is deleted by the provider", async () => {
    const program = (v: number) => async (register: Register) => {
      await register("a", { v, replaceOnV: true });
      await register("b", { v: 1 }, { deletedWith: urnOf("a") });
    };
    const { state } = await run({ program: program(1) });
    const seen = await run({ state, program: program(2) });
    expect(seen.calls.filter((call) => /^(create|delete)/.test(call))).toEqual([
      "create a",
      "create b",
      "delete a a-1",
    ]);
    expect(seen.steps).toContain("delete-replaced b");
    expect(inWords(seen.state)).toEqual(["a a-1", "b b-2"]);
  });

  test("is replaced together with replaceWith, and each resource is deleted by the provider", async () => {
    const program = (v: number) => async (register: Register) => {
      await register("a", { v, replaceOnV: true });
      await register("b", { v: 1 }, { replaceWith: [urnOf("a")] });
    };
    const { state } = await run({ program: program(1) });
    const seen = await run({ state, program: program(2) });
    expect(seen.calls.filter((call) => call.startsWith("delete"))).toEqual(["delete b b-2", "delete a a-1"]);
  });
});

describe("an alias", () => {
  test("of a parent also finds a child that is named after the parent", async () => {
    const component = { custom: false, type: "t:Group" };
    const before = await run({
      program: async (register) => {
        await register("app", {}, component);
        const parent = "urn:pulumi:dev::proj::t:Group::app";
        await register("app-key", { v: 1 }, { parent });
      },
    });
    const after = await run({
      state: before.state,
      program: async (register) => {
        await register("web", {}, { ...component, aliases: [{ name: "app" }] });
        await register("web-key", { v: 1 }, { parent: "urn:pulumi:dev::proj::t:Group::web" });
      },
    });
    expect(after.steps).toEqual(["same web-key"]);
    expect(after.state.map(({ urn, parent }) => [urn, parent])).toEqual([
      ["urn:pulumi:dev::proj::t:Group::web", undefined],
      [urnOf("web-key", "t:Group"), "urn:pulumi:dev::proj::t:Group::web"],
    ]);
  });

  test("that two resources claim fails the run", async () => {
    const { state } = await run({ program: async (register) => void (await register("a", { v: 1 })) });
    const seen = await run({
      state,
      program: async (register) => {
        await register("b", { v: 1 }, { aliases: [{ name: "a" }] });
        await register("c", { v: 1 }, { aliases: [{ name: "a" }] });
      },
    });
    expect(seen.result).toBe("failed");
    expect(seen.errors[0]).toContain("Duplicate resource alias");
  });
});

test("a URN that is registered twice fails the run", async () => {
  const seen = await run({
    program: async (register) => {
      await register("a", { v: 1 });
      await register("a", { v: 1 });
    },
  });
  expect(seen.result).toBe("failed");
  expect(seen.errors).toEqual([expect.stringContaining("Duplicate resource URN")]);
});

describe("a limited run", () => {
  const three = (v: number) => async (register: Register) => {
    const a = await register("a", { v });
    await register("b", { v: a.state.outputs?.out ?? null }, on("a"));
    await register("c", { v });
  };

  test("includes dependents of the targets on request", async () => {
    const { state } = await run({ program: three(1) });
    const options = { targets: new Targets([urnOf("a")]), targetDependents: true };
    const seen = await run({ state, program: three(2), options });
    expect(seen.steps.toSorted()).toEqual(["same c", "update a", "update b"]);
  });

  test("leaves out excluded resources, and on request everything that depends on them", async () => {
    const { state } = await run({ program: three(1) });
    const options = { excludes: new Targets(["**::a"]), excludeDependents: true };
    const seen = await run({ state, program: three(2), options });
    expect(seen.steps.toSorted()).toEqual(["same a", "same b", "update c"]);
  });

  test("refuses a target that depends on what it does not create", async () => {
    const seen = await run({ program: three(1), options: { targets: new Targets([urnOf("b")]) } });
    expect(seen.result).toBe("failed");
    expect(seen.errors[0]).toContain("not specified in --target list");
    expect(seen.state).toEqual([]);
  });

  test("does not delete a target on which another resource depends", async () => {
    const { state } = await run({ program: three(1) });
    const seen = await run({ state, options: { targets: new Targets([urnOf("a")]) } });
    expect(seen.result).toBe("failed");
    expect(seen.errors[0]).toContain(`'${urnOf("b")}' will be destroyed`);
    expect(inWords(seen.state)).toHaveLength(3);
  });

  test("names a target that does not exist", async () => {
    const seen = await run({ program: three(1), options: { targets: new Targets([urnOf("d")]) } });
    expect(seen.result).toBe("failed");
    expect(seen.errors).toEqual([expect.stringContaining(urnOf("d"))]);
  });
});

describe("a run that goes on after errors", () => {
  test("checks the dependents of a failed resource without unknown values, and does not change them", async () => {
    const results: string[] = [];
    const seen = await run({
      options: { continueOnError: true },
      program: async (register) => {
        const a = await register("a", { v: 1, fail: "create" });
        const b = await register("b", { v: UNKNOWN }, on("a"));
        results.push(a.result, b.result);
        await register("c", { v: 1 });
      },
    });
    expect(results).toEqual(["failed", "skipped"]);
    expect(seen.calls).toEqual(["check a", "create a", "check b", "check c", "create c"]);
    expect(inWords(seen.state)).toEqual(["c c-1"]);
    expect(seen.errors).toEqual(["a cannot create", "update failed"]);
  });

  test("returns an answer to the program if the deletion before a replacement fails", async () => {
    const results: string[] = [];
    const program = (v: number) => async (register: Register) => {
      const a = await register("a", { v, replaceOnV: true, dbr: true, fail: "delete" });
      const b = await register("b", { v: 1 }, on("a"));
      results.push(a.result, b.result);
    };
    const { state } = await run({ program: program(1) });
    const seen = await run({ state, program: program(2), options: { continueOnError: true } });
    expect(results.slice(2)).toEqual(["failed", "skipped"]);
    expect(seen.steps).toEqual(["delete-replaced a failed"]);
  });

  test("does not delete the dependencies of a resource that could not be deleted", async () => {
    const { state } = await run({
      program: async (register) => {
        await register("a", { v: 1 });
        await register("b", { v: 1, fail: "delete" }, on("a"));
        await register("c", { v: 1 });
      },
    });
    const seen = await run({ state, options: { continueOnError: true } });
    expect(inWords(seen.state)).toEqual(["a a-1", "b b-2"]);
  });
});

test("keeps the oldest of several pending deletions if the newest replacement is not ready", async () => {
  const provider = new Remembering();
  const program = (inputs: object) => async (register: Register) => {
    await register("a", { replaceOnV: true, ...inputs });
  };
  const first = await run({ provider, program: program({ v: 1, fail: "delete" }) });
  const second = await run({ provider, state: first.state, program: program({ v: 2 }) });
  expect(inWords(second.state)).toEqual(["a a-2", "a a-1 delete"]);
  const options = { continueOnError: true };
  const third = await run({ provider, state: second.state, program: program({ v: 3, initFail: true }), options });
  expect(inWords(third.state)).toEqual(["a a-3", "a a-1 delete"]);
  expect(provider.calls.slice(-2)).toEqual(["create a", "delete a a-2"]);
});

test("a failed program deletes nothing", async () => {
  const { state } = await run({ program: async (register) => void (await register("a", { v: 1 })) });
  const seen = await run({
    state,
    program: async () => {
      throw new Error("broken");
    },
  });
  expect(seen.errors).toEqual(["broken"]);
  expect(inWords(seen.state)).toEqual(["a a-1"]);
});

describe("a resource that is read", () => {
  const program: Program = async (_, read) => void (await read("g", "given", { v: 1 }));

  test("is discarded without a call when the program no longer reads it", async () => {
    const { state, calls } = await run({ program });
    expect([calls, inWords(state)]).toEqual([["read g"], ["g given external"]]);
    const gone = await run({ state });
    expect([gone.calls, gone.steps, gone.state]).toEqual([[], ["discard g"], []]);
  });

  test("counts as a change only if it is another resource than before", async () => {
    const first = await run({ program });
    expect(first.changes).toEqual({});
    const same = await run({ state: first.state, program });
    expect(same.changes).toEqual({});
    const other = await run({ state: first.state, program: async (_, read) => void (await read("g", "x", { v: 2 })) });
    expect(other.changes).toEqual({ read: 1 });
  });

  test("is returned to the program even if the provider reports it as gone", async () => {
    const provider = new Remembering();
    provider.gone.add("g");
    const seen = await run({ provider, program });
    expect([seen.result, inWords(seen.state)]).toEqual(["succeeded", ["g given external"]]);
  });

  test("leaves out its dependents and the program if it cannot be read in a run that goes on after errors", async () => {
    const results: string[] = [];
    const seen = await run({
      options: { continueOnError: true },
      program: async (register, read) => {
        const g = await read("g", "given", { fail: "read" });
        const a = await register("a", { v: 1 }, on("g"));
        results.push(g.result, a.result);
      },
    });
    expect(results).toEqual(["failed", "skipped"]);
    expect(seen.calls).toEqual(["read g", "check a"]);
  });
});

describe("options about changes", () => {
  test("ignoreChanges keeps the old value of a nested path if other values change", async () => {
    const tags = (owner: string, v: number) => ({ v, tags: { owner, list: [{ port: v }] } });
    const { state } = await run({ program: async (register) => void (await register("a", tags("x", 1))) });
    const ignoreChanges = ["tags.owner", "tags.list[*].port"];
    const seen = await run({
      state,
      program: async (register) => void (await register("a", tags("y", 2), { ignoreChanges })),
    });
    expect(seen.state[0]?.inputs).toEqual({ v: 2, tags: { owner: "x", list: [{ port: 1 }] } });
  });

  test("replaceOnChanges replaces a resource whose inputs the engine compares itself", async () => {
    const program = (v: number) => async (register: Register) => {
      await register("a", { v, undecided: true }, { replaceOnChanges: ["v"] });
    };
    const { state } = await run({ program: program(1) });
    const seen = await run({ state, program: program(2) });
    expect(seen.steps).toEqual(["create-replacement a", "replace a", "delete-replaced a"]);
  });

  test("replaceOnChanges of everything replaces a resource that is not ready", async () => {
    const program = (inputs: object) => async (register: Register) => {
      await register("a", { v: 1, ...inputs }, { replaceOnChanges: ["*"] });
    };
    const { state } = await run({ program: program({ initFail: true }) });
    const seen = await run({ state, program: program({}) });
    expect(seen.steps).toEqual(["create-replacement a", "replace a", "delete-replaced a"]);
  });

  test("protect forbids a replacement and a deletion, unless the run ignores it", async () => {
    const program = (v: number) => async (register: Register) => {
      await register("a", { v, replaceOnV: true }, { protect: true });
    };
    const { state } = await run({ program: program(1) });
    const seen = await run({ state, program: program(2) });
    expect(seen.result).toBe("failed");
    expect(seen.calls).toEqual(["check a", "diff a"]);
    expect((await run({ state })).steps).toEqual(["delete a failed"]);
    const options = { ignoreProtect: true };
    const replaced = await run({ state, program: program(2), options });
    expect(replaced.steps).toEqual(["create-replacement a", "replace a", "delete-replaced a"]);
    expect((await run({ state, options })).steps).toEqual(["delete a"]);
  });
});

test("a refresh that finds a resource gone removes all references to it", async () => {
  const provider = new Remembering();
  const { state } = await run({
    provider,
    program: async (register) => {
      await register("a", { v: 1 });
      await register("b", { v: 1 }, on("a"));
      await register("c", { v: 1 }, { parent: urnOf("a"), deletedWith: urnOf("a") });
    },
  });
  provider.gone.add("a");
  const seen = await run({ provider, state, options: { refresh: true, refreshOnly: true } });
  expect(seen.steps.toSorted()).toEqual(["delete a", "same b", "same c"]);
  const [b, c] = seen.state;
  expect(b?.dependencies).toEqual([]);
  expect(c?.parent).toBeUndefined();
  expect(c?.deletedWith).toBeUndefined();
});

test("a refresh removes the inputs that depend on nothing from the dependencies of a resource", async () => {
  const propertyDependencies = { v: [urnOf("a")], w: [] };
  const { state } = await run({
    program: async (register) => {
      await register("a", { v: 1 });
      await register("b", { v: 1, w: 1 }, { ...on("a"), propertyDependencies });
    },
  });
  expect(state[1]?.propertyDependencies).toEqual(propertyDependencies);
  const seen = await run({ state, options: { refresh: true, refreshOnly: true } });
  expect(seen.state[1]?.propertyDependencies).toEqual({ v: [urnOf("a")] });
});

describe("the state", () => {
  test("contains each operation before it starts", async () => {
    const seen = await run({ program: async (register) => void (await register("a", { v: 1 })) });
    expect(seen.writes).toEqual([["creating a"], []]);
  });

  test("keeps an interrupted creation, and no other operation, until somebody resolves it", async () => {
    const { state } = await run({ program: async (register) => void (await register("a", { v: 1 })) });
    const resource = state[0] ?? expect.fail("nothing was created");
    const pending = (["creating", "updating", "deleting"] as const).map((type) => ({ type, resource }));
    const seen = await run({ state, pending, program: async (register) => void (await register("a", { v: 2 })) });
    expect(seen.writes.at(-1)).toEqual(["creating a"]);
  });

  test("is written at once for an input that changed without a difference to the provider", async () => {
    const { state } = await run({ program: async (register) => void (await register("a", { v: 1, w: 1 })) });
    const program = async (register: Register) => {
      await register("a", { v: 1, w: 2 });
      await register("b", { v: 1 });
    };
    const seen = await run({ state, program });
    expect(seen.steps).toEqual(["same a", "create b"]);
    expect(seen.state[0]).toMatchObject({ inputs: { w: 2 }, outputs: { w: 1 } });
    expect(seen.state[0]?.modified).toBe(state[0]?.modified);
    expect(seen.writes).toEqual([[], ["creating b"], []]);
  });

  test("is written once, at the end of a run without changes", async () => {
    const program = async (register: Register) => void (await register("a", { v: 1 }));
    const { state } = await run({ program });
    const seen = await run({ state, program });
    expect(seen.steps).toEqual(["same a"]);
    expect(seen.writes).toEqual([[]]);
  });
});

describe("steps under way", () => {
  test("are finished and recorded if the run is cancelled, and no other step starts", async () => {
    const provider = new Remembering();
    let release = () => {};
    provider.waits.set("create a", new Promise((resolve) => (release = resolve)));
    const seen = await run({
      provider,
      program: async (register) => {
        await register("a", { v: 1 });
        await register("b", { v: 1 });
      },
      watch: (running) => {
        const cancelled = setInterval(() => {
          if (!provider.calls.includes("create a")) return;
          clearInterval(cancelled);
          running.cancel();
          release();
        }, 1);
      },
    });
    expect(seen.errors).toEqual(["update canceled"]);
    expect(inWords(seen.state)).toEqual(["a a-1"]);
  });

  test("are never more than the allowed number", async () => {
    const provider = new Remembering();
    let busy = 0;
    let most = 0;
    const create = provider.create.bind(provider);
    provider.create = async (...args) => {
      busy++;
      most = Math.max(most, busy);
      await new Promise((resolve) => setTimeout(resolve, 2));
      busy--;
      return create(...args);
    };
    const names = ["a", "b", "c", "d", "e"];
    const program = async (register: Register) =>
      void (await Promise.all(names.map((name) => register(name, { v: 1 }))));
    const seen = await run({ provider, program, options: { parallel: 2 } });
    expect(seen.result).toBe("succeeded");
    expect(most).toBe(2);
  });
});
