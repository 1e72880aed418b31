import { describe, expect, test } from "vitest";
import { inWords, type Register, Remembering, run, urnOf } from "./in-memory";

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
      const out = a.outputs?.out ?? "";
      await register("b", { v: out, replaceOnV: true }, { ...on("a"), protect: true });
    };
    const { state } = await run({ program: both(1) });
    const refused = await run({ state, program: both(2) });
    expect(refused.result).toBe("failed");
    expect(refused.errors[0]).toContain(`unable to replace resource "${urnOf("b")}"`);
    expect(refused.calls).not.toContain("delete b b-2");
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

  test("protect forbids a replacement and a deletion", async () => {
    const program = (v: number) => async (register: Register) => {
      await register("a", { v, replaceOnV: true }, { protect: true });
    };
    const { state } = await run({ program: program(1) });
    const seen = await run({ state, program: program(2) });
    expect(seen.result).toBe("failed");
    expect(seen.calls).toEqual(["check a", "diff a"]);
    expect((await run({ state })).steps).toEqual(["delete a failed"]);
  });

  test("protect keeps what a resource depends on, and nothing else", async () => {
    const { state } = await run({
      program: async (register) => {
        await register("a", { v: 1 });
        await register("b", { v: 1 }, { ...on("a"), protect: true });
        await register("c", { v: 1 });
      },
    });
    const seen = await run({ state });
    expect(seen.result).toBe("failed");
    expect(inWords(seen.state)).toEqual(["a a-1", "b b-2"]);
  });
});

test("a refresh that finds a resource gone removes all references to it", async () => {
  const provider = new Remembering();
  const { state } = await run({
    provider,
    program: async (register) => {
      await register("a", { v: 1 });
      await register("b", { v: 1 }, on("a"));
      await register("c", { v: 1 }, { parent: urnOf("a") });
    },
  });
  provider.gone.add("a");
  const seen = await run({ provider, state, options: { refresh: true, refreshOnly: true } });
  expect(seen.steps.toSorted()).toEqual(["delete a", "same b", "same c"]);
  const [b, c] = seen.state;
  expect(b?.dependencies).toEqual([]);
  expect(c?.parent).toBeUndefined();
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
