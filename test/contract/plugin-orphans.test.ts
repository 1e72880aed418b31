import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { identityOf } from "../../provider/keys/identity";
import { autoName, MAX_NAMES, nonceFrom, ownerTag, readRecord, startMark } from "../../provider/keys/names";
import { type ControlPlane, startControlPlane } from "../../testing";
import { generatedName } from "../generated-name";
import {
  cli,
  failureOf,
  newOwner,
  PluginUnderTest,
  plainOwner,
  type SavedState,
  type State,
  stopPlugins,
  type Values,
} from "./plugin-harness";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
const deletes = () => plane.count("DELETE");
const HOUR = 3_600_000;

/** The next command on the same stack. */
const next = (before: PluginUnderTest, options: Parameters<typeof PluginUnderTest.start>[1] = {}) =>
  PluginUnderTest.start(plane, { provider: before.provider, ...options });

/** The key of a creation with these inputs, of which no answer arrived. */
const orphan = async ({ __owner, __nonce }: Values, attempt = 0) => {
  const name = autoName("ci", String(__owner), nonceFrom(String(__nonce), attempt));
  return String((await plane.state.createKey(name)).id);
};

/** The inputs of a creation whose run was started that long ago. */
const earlier = (note: Values, age = HOUR): Values => ({
  ...note,
  __nonce: String(note.__nonce).replace(/@.*/, startMark(Date.now() - age)),
});

interface Interrupted {
  readonly kind?: string;
  /** Which of the creation's requests made the key. @default 0 */
  readonly attempt?: number;
  /** Resources in the state. @default none */
  readonly saved?: readonly SavedState[];
}

/** A stack whose last run was killed in a creation: its state has a note of that, and its key is live. */
const interrupted = async ({ kind = "ApiKey", attempt = 0, saved = [] }: Interrupted = {}) => {
  const killed = await PluginUnderTest.start(plane);
  const note = await killed.checked(kind, {});
  const left = await orphan(note, attempt);
  killed.save(saved, [note], kind);
  return { killed, note, left, plugin: await next(killed) };
};

const reported = (id: string, why: string) =>
  expect.stringMatching(
    `^key ${id} \\(ci-.* has this stack's tag, but no resource has it\\. It stays live, because .*${why}.*npx keyplane revoke ${id}`,
  );

describe("a key of a run that carried out a plan", () => {
  const seed = Buffer.alloc(16, 7);

  it.each([[["preview", "--save-plan=plan.json"]], [["up", "--plan", "plan.json"]], [["up", "--strict"]]])(
    "has no seed in the inputs that %j compares",
    async (command) => {
      const plugin = await PluginUnderTest.start(plane, { command });
      expect(await plugin.checked("ApiKey", {})).not.toHaveProperty("__nonce");
    },
  );

  it("stays live if the plan is carried out again after an older state was restored", async () => {
    const command = ["up", "--plan", "plan.json"];
    const first = await PluginUnderTest.start(plane, { command });
    first.seed = seed;
    const delivered = await first.add("ApiKey");
    const second = await next(first, { command });
    second.seed = seed;
    // The state has a note of the creation under way, which has the inputs of the plan, too.
    second.save([], [await second.checked("ApiKey", {})]);
    const { outputs } = await second.add("ApiKey");
    expect(await live()).toEqual([delivered.outputs.keyId, outputs.keyId].sort());
    expect(second.messages).toEqual([reported(String(delivered.outputs.keyId), "nothing shows")]);
  });
});

describe("a key that an interrupted run left behind", () => {
  it.each(["ApiKey", "RotatingApiKey"])("is revoked before %s creates another one", async (kind) => {
    const { plugin, left } = await interrupted({ kind });
    const state = await plugin.add(kind);
    expect(await live()).toEqual([state.outputs.keyId]);
    expect(plugin.messages).toEqual([expect.stringMatching(`^revoked key ${left} \\(ci-.*never used\\), left behind`)]);
    const methods = (await plane.log()).map(({ method }) => method);
    expect(methods).toEqual(["GET", "DELETE", "POST"]);
  });

  it("is revoked whichever of its requests made it, and a key of the next number is not", async () => {
    for (let attempt = 0; attempt <= MAX_NAMES; attempt++) {
      const { plugin, left } = await interrupted({ attempt });
      await plugin.add("ApiKey");
      expect((await live()).includes(left), `request ${attempt}`).toBe(attempt === MAX_NAMES);
    }
  });

  it("is reported if it was used, and is never revoked", async () => {
    const { plugin, left } = await interrupted();
    await plane.state.useKey(left);
    const state = await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([reported(left, "it was used")]);
    await (await next(plugin)).delete(state);
    expect(await live()).toEqual([left]);
  });

  it("is reported if the state has no note of its creation, because another resource may have it", async () => {
    const { killed, plugin, left } = await interrupted();
    killed.save([]);
    await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([reported(left, "nothing shows that an interrupted run left it behind")]);
    expect(await deletes()).toBe(0);
  });

  it("is reported once in a run, although its end looks again", async () => {
    const { killed, plugin, left } = await interrupted();
    killed.save([]);
    await plugin.add("ApiKey");
    await plugin.cancel();
    expect(plugin.messages).toEqual([reported(left, "nothing shows that an interrupted run left it behind")]);
  });

  describe("of a run on record", () => {
    /** A time that many seconds after that run was started. */
    const at = (note: Values, seconds: number) => {
      const { startedAt = Number.NaN } = readRecord(String(note.__nonce));
      return new Date(startedAt + 1_000 * seconds).toISOString();
    };

    it.each([[true], [false]])(
      "is reported if that run succeeded, because the state is from its middle and was restored, or if the history cannot be read: %s",
      async (isReadable) => {
        const { plugin, note, left } = await interrupted();
        if (isReadable) cli().saveHistory([{ began: at(note, 0), ended: at(note, 5) }]);
        else cli().forgetHistory();
        await plugin.add("ApiKey");
        expect(plugin.messages).toContainEqual(reported(left, "nothing shows that an interrupted run left it behind"));
        expect(await live()).toContain(left);
      },
    );

    it("is revoked if only other runs have succeeded", async () => {
      const { plugin, note, left } = await interrupted();
      cli().saveHistory([
        { began: at(note, 1), ended: at(note, 5) },
        { began: at(note, 0), ended: at(note, 5), result: "failed" },
        { began: at(note, -5), ended: at(note, -1) },
      ]);
      await plugin.add("ApiKey");
      expect(await live()).not.toContain(left);
    });
  });

  it("is reported if the state of the stack cannot be read, and the user is told why", async () => {
    const first = await PluginUnderTest.start(plane);
    const left = await orphan(await first.checked("ApiKey", {}));
    const plugin = await next(first);
    await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([
      expect.stringMatching(
        /asked the Pulumi CLI about this stack, but `pulumi stack export` failed .*KEYPLANE_PULUMI/,
      ),
      reported(left, "could not be read"),
    ]);
    expect(await live()).toContain(left);
  });

  it("is reported if the state is that of another stack of the same name, whose owner is another one", async () => {
    const { plugin, note, left } = await interrupted();
    const stranger = await PluginUnderTest.start(plane);
    stranger.save([], [{ ...note, __owner: String(note.__owner).replace(/^[^|]*/, newOwner()) }]);
    await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([reported(left, "could not be read")]);
    expect(await live()).toContain(left);
  });

  it("is reported if PULUMI_SKIP_CHECKPOINTS makes the saved state that of the last run", async () => {
    const { killed, left } = await interrupted();
    const plugin = await next(killed, { env: { PULUMI_SKIP_CHECKPOINTS: "true" } });
    await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([reported(left, "could not be read")]);
    expect(await deletes()).toBe(0);
  });

  it.each<[string, Values]>([
    ["another resource", {}],
    ["a replaced resource", { delete: true }],
  ])("is kept without a message if %s in the state has it", async (_, engine) => {
    const { killed, plugin, note, left } = await interrupted();
    const holder = { kind: "ApiKey", name: "imported", id: left, inputs: {}, outputs: { keyId: left }, engine };
    killed.save([holder], [note]);
    await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([]);
    expect(await live()).toContain(left);
  });

  it("is reported if the account lacks a key of the state, from which another history may have gone on", async () => {
    const { killed, plugin, note, left } = await interrupted();
    const outputs = { keyId: "4711", __owner: note.__owner };
    killed.save([{ kind: "ApiKey", name: "gone", id: "4711", inputs: {}, outputs }], [note]);
    await plugin.add("ApiKey");
    expect(plugin.messages).toEqual([reported(left, "the account lacks a key that this stack holds")]);
    expect(await live()).toContain(left);
  });

  it("does not stop the creation if its revocation fails, and is revoked with the resource", async () => {
    const { plugin, left } = await interrupted();
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const state = await plugin.add("ApiKey");
    expect(await live()).toEqual([left, state.id].sort());
    await (await next(plugin)).delete(state);
    expect(await live()).toEqual([]);
  });

  it("is not looked for again for a second key of the same run", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("RotatingApiKey", {});
    const state = await plugin.create("RotatingApiKey", inputs);
    await plugin.up(state, { revokeNow: state.outputs.keyId });
    expect(await plane.count("GET", "/api_keys")).toBe(1);
  });

  it.each(["of another stack", "of another resource", "of the same name in the dynamic provider"])(
    "is left alone if it is a key %s",
    async (whose) => {
      const plugin = await PluginUnderTest.start(plane);
      const inputs = await plugin.checked("ApiKey", {});
      const [ownerId, urn] = String(inputs.__owner).split("|");
      const identity = {
        "of another stack": `${newOwner()}|${urn}`,
        "of another resource": identityOf(String(ownerId), undefined, "urn:of-another-resource"),
        "of the same name in the dynamic provider": String(ownerId),
      }[whose];
      const other = await plane.state.createKey(generatedName("ci", String(identity)));
      plugin.save([]);
      const state = await plugin.create("ApiKey", inputs);
      await plugin.delete(state);
      expect(await live()).toEqual([String(other.id)]);
      expect(plugin.messages).toEqual([]);
    },
  );

  it("is revoked although the stack was destroyed meanwhile, so that it has another owner now", async () => {
    const { note, left } = await interrupted();
    const plugin = await PluginUnderTest.start(plane);
    expect(plugin.provider.__owner).not.toBe(note.__owner);
    plugin.save([], [note]);
    const state = await plugin.add("ApiKey");
    expect(await live()).toEqual([state.id]);
    expect(plugin.messages).toEqual([expect.stringContaining(`revoked key ${left}`)]);
  });

  it("does not stop the creation if the list fails once, because a failed list is not remembered", async () => {
    const { plugin, left } = await interrupted();
    const inputs = await plugin.checked("ApiKey", {});
    await plane.rules.add({ route: "GET /api_keys", status: 400 });
    expect(await failureOf(plugin.create("ApiKey", inputs))).toContain("400");
    expect(await plane.count("POST", "/api_keys")).toBe(0);
    await plugin.create("ApiKey", inputs);
    expect(await live()).not.toContain(left);
  });
});

describe("a key of a resource that is gone from the program", () => {
  /** The key of a request of that age, and a run that has created another one. */
  const withGone = async (age = HOUR) => {
    const first = await PluginUnderTest.start(plane);
    const note = earlier(await first.checked("ApiKey", {}, {}, "gone"), age);
    const left = await orphan(note);
    first.save([], [note]);
    const plugin = await next(first);
    return { left, plugin, state: await plugin.add("ApiKey") };
  };

  it("is revoked when the engine is done, because then every key of the program was shown", async () => {
    const { left, plugin, state } = await withGone();
    expect(await live()).toContain(left);
    await plugin.cancel();
    expect(await live()).toEqual([state.id]);
  });

  it("is kept with a warning if the last search fails, and the run succeeds", async () => {
    const { left, plugin } = await withGone();
    await plane.rules.add({ route: "GET /api_keys", status: 400 });
    await plugin.cancel();
    expect(plugin.messages.join()).toContain("could not look for keys of interrupted runs, which `npx keyplane keys`");
    expect(await live()).toContain(left);
  });

  it("is kept if a process of this run began its creation, which can be under way after Ctrl+C", async () => {
    const { left, plugin } = await withGone(-HOUR);
    await plugin.cancel();
    expect(await live()).toContain(left);
    expect(plugin.messages).toEqual([]);
  });

  it("is kept without a word of who has it if the state cannot be read, because a run can leave resources out", async () => {
    const first = await PluginUnderTest.start(plane);
    const left = await orphan(await first.checked("ApiKey", {}, {}, "gone"));
    const plugin = await next(first);
    await plugin.add("ApiKey");
    await plugin.cancel();
    expect(await live()).toContain(left);
    expect(plugin.messages.join()).toContain("keyplane asked the Pulumi CLI about this stack");
    expect(plugin.messages.join()).not.toContain("no resource has it");
  });

  it("costs no request if there is none", async () => {
    const plugin = await PluginUnderTest.start(plane);
    await plugin.add("ApiKey");
    const before = await plane.count();
    await plugin.cancel();
    expect(await plane.count()).toBe(before);
  });

  it("is not looked for by a run that changes nothing", async () => {
    const { left, plugin, state } = await withGone();
    const later = await next(plugin);
    await later.up(state);
    const before = await plane.count();
    await later.cancel();
    expect(await plane.count()).toBe(before);
    expect(await live()).toContain(left);
  });

  it("is revoked by a destroy whose last key has the former owner, after an upgrade gave the provider another one", async () => {
    const first = await PluginUnderTest.start(plane);
    const kept = await first.add("ApiKey", { revokeOnDelete: false }, "kept");
    const elsewhere = await first.add("ApiKey", { organizationId: "org-local-1" }, "elsewhere");
    const note = await first.checked("ApiKey", {});
    const left = await orphan(note);
    const upgraded = await PluginUnderTest.start(plane, { command: ["destroy"] });
    upgraded.save([kept, elsewhere], [note]);
    // Each list is looked through: the account's own keys, and those of an organization.
    await upgraded.delete(elsewhere);
    await upgraded.delete(kept);
    await upgraded.cancel();
    expect(await live()).toEqual([kept.id]);
    expect(upgraded.messages).toContainEqual(expect.stringContaining(`revoked key ${left}`));
  });

  it("is kept if another process has saved it since this one looked at the state", async () => {
    const { killed, note, left, plugin } = await interrupted();
    const begun = await killed.checked("ApiKey", {}, {}, "other");
    const made = await orphan(begun);
    killed.save([], [note, begun]);
    await plugin.add("ApiKey");
    expect(await live()).not.toContain(left);
    plugin.save([{ kind: "ApiKey", name: "other", id: made, inputs: begun, outputs: { keyId: made } }]);
    await plugin.cancel();
    expect(await live()).toContain(made);
  });

  it("is kept if the state has it with another resource", async () => {
    const { left, plugin } = await withGone();
    plugin.save([{ kind: "ApiKey", name: "moved", id: left, inputs: {}, outputs: { keyId: left } }]);
    await plugin.cancel();
    expect(await live()).toContain(left);
    expect(plugin.messages).toEqual([]);
  });
});

describe("a key that the engine has shown", () => {
  it.each<[string, (plugin: PluginUnderTest, state: State) => Promise<unknown>]>([
    ["a comparison", (plugin, state) => plugin.diff(state, state.inputs)],
    ["a refresh", (plugin, state) => plugin.read(state)],
    ["an update", (plugin, state) => plugin.update(state, state.inputs)],
  ])("in %s is never taken for an orphan", async (_, show) => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("RotatingApiKey", { rotationTriggers: { at: "1" } });
    const plugin = await next(first);
    await show(plugin, state);
    plugin.save([state]);
    const made = await plugin.replace(state, {});
    expect(await live()).toEqual([state.outputs.keyId, made.outputs.keyId].sort());
    expect(plugin.messages).toEqual([]);
  });

  it("in a deletion is revoked only by the deletion, even if it is to stay", async () => {
    const first = await PluginUnderTest.start(plane);
    const kept = await first.add("ApiKey", { revokeOnDelete: false });
    const plugin = await next(first);
    await plugin.delete(kept);
    await plugin.add("ApiKey");
    expect(await live()).toContain(kept.id);
  });
});

describe("a replacement that the user forces, of which the engine shows only the creation,", () => {
  it.each([["up", "--replace", "urn"], ["up"]])(
    "by %s revokes nothing, because the state still has the old key",
    async (...command) => {
      const first = await PluginUnderTest.start(plane);
      const before = await first.add("ApiKey");
      first.save([before]);
      const plugin = await next(first, { command });
      const after = await plugin.replace(before, {});
      expect([await deletes(), plugin.messages]).toEqual([0, []]);
      await plugin.delete(before);
      expect(await live()).toEqual([after.id]);
    },
  );

  it("revokes a key beside the replaced one that an interrupted run left behind", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    const note = await first.checked("ApiKey", {});
    const left = await orphan(note);
    first.save([before], [note]);
    const plugin = await next(first);
    const after = await plugin.replace(before, {});
    expect(await live()).toEqual([before.id, after.id].sort());
    expect(plugin.messages).toEqual([expect.stringContaining(`revoked key ${left}`)]);
  });
});

/** A resource, and a key that a killed run has left behind for its replacement. */
const withOrphan = async (kind = "ApiKey") => {
  const first = await PluginUnderTest.start(plane);
  const state = await first.add(kind);
  const note = earlier(await first.checked(kind, {}));
  const left = await orphan(note);
  first.save([state], [note], kind);
  return { first, state, left };
};

describe("the deletion of a resource", () => {
  it.each(["ApiKey", "RotatingApiKey"])(
    "of type %s also revokes the keys that interrupted runs left behind",
    async (kind) => {
      const { first, state } = await withOrphan(kind);
      await (await next(first)).delete(state);
      expect(await live()).toEqual([]);
    },
  );

  it("also revokes them if the resource has moved to an organization, where its creation looks for others", async () => {
    const { first, state, left } = await withOrphan();
    const plugin = await next(first);
    const { state: moved } = await plugin.up(state, { organizationId: "org-local-1" });
    await plugin.delete(state);
    expect(await live()).not.toContain(left);
    expect(moved.outputs.organizationId).toBe("org-local-1");
  });

  it("also revokes them in an up whose program does not use the provider any more", async () => {
    const { first, state } = await withOrphan();
    await (await next(first, { removed: true })).delete(state);
    expect(await live()).toEqual([]);
  });

  it("leaves the key of a successor live that revokeOnDelete keeps, because its creation used it", async () => {
    const first = await PluginUnderTest.start(plane);
    const news = { revokeOnDelete: false, rotationTriggers: { at: "1" } };
    const before = await first.add("ApiKey", news);
    const { state: after } = await first.up(before, { ...news, rotationTriggers: { at: "2" } });
    const uses = await plane.log({ method: "GET" });
    expect(uses.filter(({ keyId }) => String(keyId) === after.id)).toHaveLength(1);
    // The engine deletes both, the old one first.
    const plugin = await next(first);
    await plugin.delete(before);
    expect(await live()).toEqual([before.id, after.id].sort());
  });

  it("fails while such a key stays, and the next attempt revokes it", async () => {
    const { first, state, left } = await withOrphan();
    const plugin = await next(first);
    await plane.rules.add({ route: `DELETE /api_keys/${left}`, status: 400 });
    const failure = await failureOf(plugin.delete(state));
    expect(failure).toMatch(new RegExp(`could not revoke key ${left}, which an interrupted run left.*\\[KP-REVOKE\\]`));
    expect(await live()).toEqual([left]);
    await (await next(first)).delete(state);
    expect(await live()).toEqual([]);
  });

  it("revokes nothing else if the state was copied from another stack", async () => {
    const { first, state, left } = await withOrphan();
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    await copy.delete(state);
    expect(await live()).toEqual([state.id, left].sort());
    expect(copy.messages).toEqual([expect.stringMatching(`^key ${state.id} .* was created by another stack`)]);
  });

  it("revokes nothing else if an alias moved the key from the dynamic provider", async () => {
    const first = await PluginUnderTest.start(plane);
    const owner = newOwner();
    const [held, other] = await Promise.all([1, 2].map(() => plane.state.createKey(generatedName("ci", owner))));
    const outputs = { keyId: String(held?.id), name: (await nameOf(held?.id)) ?? "", key: held?.key, owner };
    const resourceUrn = "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:ApiKey::ci";
    const state = {
      kind: "ApiKey",
      name: "ci",
      id: String(held?.id),
      inputs: {},
      outputs: { ...outputs, resourceUrn },
    };
    await first.delete(state);
    expect(await live()).toEqual([String(other?.id)]);
  });
});

describe("a refresh", () => {
  const wasLeft = (id: string) =>
    expect.stringMatching(`^key ${id} .* was left by an interrupted run\\. \`pulumi up --refresh\` revokes it`);

  /** A resource, and a key that a killed run has left behind for a resource that has left the program since. */
  const withGone = async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("ApiKey");
    const note = earlier(await first.checked("ApiKey", {}, {}, "gone"));
    const left = await orphan(note);
    first.save([state], [note]);
    return { first, state, left };
  };

  it("reports a key that an interrupted run left behind, and changes nothing", async () => {
    const { first, state, left } = await withOrphan();
    const plugin = await next(first);
    expect(await plugin.read(state)).toEqual(state);
    expect(plugin.messages).toEqual([wasLeft(left)]);
    expect(await live()).toEqual([state.id, left].sort());
  });

  it("reports at its end that of a resource that is gone, with one list, and changes nothing", async () => {
    const { first, state, left } = await withGone();
    const plugin = await next(first);
    const before = await plane.count();
    await plugin.read(state);
    await plugin.cancel();
    expect(plugin.messages).toEqual([wasLeft(left)]);
    expect(await plane.count()).toBe(before + 1);
  });

  it.each([
    ["the resource", withOrphan],
    ["a resource that is gone", withGone],
  ])("in an up shows an update, whose run revokes that of %s", async (_, start) => {
    const { first, state, left } = await start();
    const refreshed = async () => {
      const plugin = await next(first);
      await plugin.read(state);
      // This comparison is a part of the refresh. The next one is with what the program declares.
      expect((await plugin.diff(state, state.inputs)).changes).toBe(false);
      return plugin;
    };
    const preview = await refreshed();
    const inputs = await preview.checked(state.kind, {}, state.inputs);
    expect((await preview.diff(state, inputs)).changes).toBe(true);
    await preview.cancel();
    expect(await live()).toContain(left);

    const plugin = await refreshed();
    expect((await plugin.up(state)).step).toBe("update");
    await plugin.cancel();
    expect(await live()).toEqual([state.id]);
  });

  it("in an up that finds none changes nothing", async () => {
    const { first, state, left } = await withGone();
    await plane.state.revokeKey(left);
    const plugin = await next(first);
    await plugin.read(state);
    expect((await plugin.up(state)).step).toBe("same");
    expect(plugin.messages).toEqual([]);
  });
});

describe("a resource with another name", () => {
  it("in the same stack keeps its key although a new resource has the old name, because the state has it", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey", {}, "old");
    const plugin = await next(first);
    const { step, state } = await plugin.up({ ...before, name: "new" });
    expect(step).toBe("update");
    expect(plainOwner(state.outputs.__owner)).toBe(plainOwner(before.outputs.__owner).replace("::old", "::new"));
    expect((await plugin.up(state)).step).toBe("same");

    plugin.save([state]);
    const later = await next(first);
    await later.add("ApiKey", {}, "old");
    expect(await live()).toContain(state.id);
    expect(later.messages).toEqual([]);
    await (await next(first)).delete(state);
    expect(await live()).not.toContain(state.id);
  });
});

describe("a state of a stack that was renamed", () => {
  it("keeps its keys if the settings say so, and a run says nothing of a copy", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    const config = { renamedFrom: "dev" };
    const renamed = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider, config });
    const { step, state } = await renamed.up(before);
    expect(step).toBe("update");
    expect(renamed.messages.join()).not.toContain("copied");
    await (await next(renamed, { stack: "prod", config })).delete(state);
    expect(await live()).toEqual([]);
  });

  it("shows which keys it no longer revokes otherwise, and how to keep them", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    const renamed = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    await renamed.diff(before, before.inputs);
    expect(renamed.messages).toContainEqual(
      expect.stringMatching(
        `renamed or copied from dev\\. This stack does not revoke key ${before.id}\\..*` +
          "pulumi config set --path 'keyplane:renamedFrom\\[0\\]' dev`",
      ),
    );
  });
});

describe("a state that was copied into another stack", () => {
  it("is adopted by an update that revokes nothing, and the original goes on as before", async () => {
    const first = await PluginUnderTest.start(plane);
    const original = await first.add("RotatingApiKey", { rotationTriggers: { at: "1" } });
    const left = await orphan(await first.checked("RotatingApiKey", {}));
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    const { step, state } = await copy.up(original, { rotationTriggers: { at: "2" } });
    expect(step).toBe("update");
    expect(String(state.outputs.name)).toContain(ownerTag(String(copy.provider.__owner).slice(0, 36)));
    expect(state.outputs.previousKeyId).toBe(original.outputs.keyId);
    await copy.delete(state);
    expect(await live()).toEqual([original.outputs.keyId, left].sort());
    expect((await (await next(first)).up(original)).step).toBe("same");
  });

  it("is replaced without a revocation of the original's key", async () => {
    const first = await PluginUnderTest.start(plane);
    const original = await first.add("ApiKey", { rotationTriggers: { at: "1" } });
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    const { step, state } = await copy.up(original, { rotationTriggers: { at: "2" } });
    expect(step).toBe("replace");
    await copy.delete(original);
    expect(await live()).toEqual([original.id, state.id].sort());
  });
});

async function nameOf(id: number | undefined): Promise<string | undefined> {
  return (await plane.liveKeys()).find((key) => key.id === id)?.name;
}
