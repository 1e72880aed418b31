import { describe, test } from "vitest";
import { RECIPIENTS } from "../recipients";
import type { Action } from "./actions";
import { runPluginStory } from "./plugin-story";
import type { Crash, DeclaredKey, Flags, Program } from "./state";

const key = (trigger: number, inputs: DeclaredKey["inputs"] = {}): DeclaredKey => ({
  rotating: false,
  consumed: true,
  inputs: { rotationTriggers: { trigger }, ...inputs },
});
const rotating = (trigger: number, inputs: DeclaredKey["inputs"] = {}, others: Partial<DeclaredKey> = {}): Program => ({
  "rotating-0": { ...key(trigger, inputs), rotating: true, ...others },
});
const up = (program: Program, flags: Flags = {}): Action => ({ do: "up", program, ...flags });
const crashed = (crash: Crash): Flags => ({ crash });
const BEYOND_GRACE: Action = { do: "wait", ms: 61 * 60_000 };

// Stories in which the random model once found a bug of the plugin.
describe("a stack of the plugin keeps all invariants in the story of", () => {
  test("a key that is created only when its project is well again, and that revokeNow then names", async () => {
    const inPlace = rotating(0, { retirement: "inPlace" }, { waits: true, revokes: "current" });
    const waiting = { "plain-0": { ...key(0, { revokeOnDelete: false }), consumed: false, waits: true } };
    await runPluginStory([
      up(waiting, crashed({ step: 2, when: "before", victim: "both" })),
      { do: "exchange" },
      up(inPlace),
      { do: "operation", course: { runningMs: 7000, outcome: "failed" } },
    ]);
  });

  test("a copied stack that is destroyed before its first up, which must not revoke the keys of the original", async () => {
    const exact = { exact: key(0, { name: "exact", onNameConflict: "revokeUnused" }) };
    await runPluginStory([up({ ...exact, "plain-0": key(0) }), { do: "copy", commands: ["destroy"] }]);
  });

  test("a current key that revokeNow names and that is retired in place, whose successor is saved only then", async () => {
    const inPlace = { retirement: "inPlace" };
    const program = rotating(0, inPlace);
    const revoked = rotating(0, inPlace, { revokes: "current" });
    await runPluginStory([up(program), up(revoked, crashed({ step: 1, when: "unsaved" })), up(program)]);
  });

  test("a key that is replaced in the run of an upgrade, so that the former plugin deletes the old one", async () => {
    await runPluginStory([up({ "plain-0": key(0) }), { do: "upgrade" }, up({ "plain-0": key(1) })]);
  });

  test("a retirement that is due in the run of an upgrade, and a key that its successor's name does not fit", async () => {
    const due: Action[] = [up(rotating(0)), up(rotating(1)), { do: "upgrade" }, BEYOND_GRACE];
    await runPluginStory([...due, up(rotating(1)), up(rotating(1))]);
  });

  test("a key that revokeNow names, whose resource the former plugin deletes before its successor exists", async () => {
    const options = { deleteBeforeReplace: true };
    const before = rotating(0, { verify: true }, { waits: true });
    const revoked = rotating(0, { verify: true, maxAge: "400d" }, { waits: true, options, revokes: "current" });
    await runPluginStory([up(before, { refresh: true }), { do: "upgrade" }, up(revoked, { refresh: true })]);
  });

  test("a key that revokeNow names, whose resource is deleted first by a run that is killed before its successor exists", async () => {
    const revoked = rotating(0, {}, { consumed: false, options: { deleteBeforeReplace: true }, revokes: "current" });
    const before = rotating(0, {}, { consumed: false });
    await runPluginStory([up(before), up(revoked, crashed({ step: 2, when: 1, victim: "both" })), up(revoked)]);
  });

  test("a key that revokeNow names in the run whose user forces the replacement and has the old resource deleted first", async () => {
    const revoked = rotating(0, {}, { waits: true, options: { deleteBeforeReplace: true }, revokes: "current" });
    await runPluginStory([up(rotating(0, {}, { waits: true })), up(revoked, { replace: ["rotating-0"] })]);
  });

  test("a previous key that revokeNow names in the run that replaces its tainted resource", async () => {
    const sealed = rotating(0, { retirement: "inPlace", sealTo: RECIPIENTS[0] }, { consumed: false });
    const kept = { verify: true, revokeOnDelete: false, retirement: "inPlace" };
    const revoked = rotating(0, kept, { consumed: false, revokes: "previous" });
    await runPluginStory([up(sealed), up(revoked), { do: "state taint", which: 0 }]);
  });

  test("a revocation that is carried out late, after another backend has gone on from the state", async () => {
    await runPluginStory([
      { do: "fault", rule: { count: 3, route: "DELETE /api_keys/{key_id}", fault: "close", commit: "late" } },
      { do: "fault", rule: { count: 1, route: "POST /api_keys", omit: ["id"] } },
      up({ "plain-0": { ...key(0, { verify: true, revokeOnDelete: false }), consumed: false } }),
      { do: "state delete", which: 0 },
      { do: "fork", commands: ["up"] },
    ]);
  });

  test("a previous key that a successor goes on with, after its retained predecessor has left the state", async () => {
    const inPlace = { verify: true, revokeOnDelete: false, retirement: "inPlace" };
    const retained = { consumed: false, options: { retainOnDelete: true } };
    const revoked = rotating(1, { verify: true, revokeOnDelete: true }, { consumed: false, revokes: "current" });
    const program = [up(rotating(0, {}, { consumed: false })), up(rotating(1, inPlace, retained)), up(revoked)];
    await runPluginStory([...program, up({ "plain-0": key(0) })]);
  });

  test("a destroy after a replacement that failed, whose successor is the first to have revokeOnDelete: false", async () => {
    const kept = { verify: true, revokeOnDelete: false };
    const revoked = rotating(2, kept, { waits: true, revokes: "current" });
    const failing = { failing: ["rotating-0"], continueOnError: true };
    await runPluginStory([up(rotating(0)), up(rotating(1)), up(revoked, failing), { do: "destroy", crash: undefined }]);
  });

  test("a key that revokeNow names, whose resource is replaced and then leaves the program", async () => {
    const kept = { verify: true, revokeOnDelete: false };
    const program = rotating(0, kept);
    const revoked = rotating(0, kept, { consumed: false, revokes: "current" });
    const crash = { step: 2, when: 1 } as const;
    const other = { "plain-0": key(0) };
    await runPluginStory([up(program), up({ ...revoked, ...other }, { crash, continueOnError: true }), up(other)]);
  });

  test("a key whose previous one is due and whose revokeOnDelete is false", async () => {
    const kept = { revokeOnDelete: false };
    await runPluginStory([up(rotating(0, kept)), up(rotating(1, kept)), BEYOND_GRACE, up(rotating(1, kept))]);
  });

  test("a key that leaves the program with its retirement due, in a run that refreshes first", async () => {
    const other = { "plain-0": key(0) };
    await runPluginStory([
      ...[up({ ...other, ...rotating(0) }), up({ ...other, ...rotating(1) }), BEYOND_GRACE],
      up(other, { refresh: true }),
    ]);
  });

  test("a key that is deleted before its successor continues it, whose revokeOnDelete then changes", async () => {
    const kept = { revokeOnDelete: false };
    const consumed = false;
    await runPluginStory([
      up(rotating(0, kept, { consumed })),
      up(rotating(0, { ...kept, retirement: "inPlace" }, { consumed, revokes: "current" })),
      up(rotating(0, kept, { consumed, options: { deleteBeforeReplace: true } })),
      up(rotating(0, { revokeOnDelete: true })),
    ]);
  });

  test("a key whose operation fails, which a refresh shows but no program ever had", async () => {
    const operations = [{ action: "apply_config", runningMs: 0, outcome: "failed" as const }];
    const failed = { ...key(0, { revokeOnDelete: false }), waits: true };
    await runPluginStory([
      { do: "fault", rule: { route: "POST /api_keys", operations } },
      up({ "plain-0": failed }),
      up({ "plain-1": key(0) }, { refresh: true }),
    ]);
  });

  test("a creation that dies with its engine, a destroy, and another program, whose destroy finds the first key", async () => {
    await runPluginStory([
      ...[up(rotating(0), crashed({ step: 2, when: "unsaved" })), { do: "destroy" } as Action],
      up({ "plain-0": key(0) }),
    ]);
  });

  test("a creation during which the plugin dies, and an upgrade, which brings another owner", async () => {
    const crash = { step: 2, when: 6, victim: "provider" } as const;
    await runPluginStory([up({ "plain-0": key(0, { verify: true }) }, { crash }), { do: "upgrade" }]);
  });

  test("a renamed stack that is destroyed at once and keeps its owner", async () => {
    const renamed: Action = { do: "rename stack", keepsOwner: true };
    await runPluginStory([up({ "plain-0": key(0) }), renamed, { do: "destroy", crash: undefined }]);
  });

  test("a fork that revokes what the first run could not", async () => {
    await runPluginStory([
      { do: "fault", rule: { count: 1, route: "DELETE /api_keys/{key_id}", status: 401 } },
      { do: "fault", rule: { count: 1, route: "POST /api_keys", omit: ["key"] } },
      ...[up({ "plain-0": key(0) }), { do: "fork", commands: ["up"] } as Action],
    ]);
  });

  test("a creation that dies in a stack that is renamed, and an upgrade, after which the resource is gone", async () => {
    const kept = rotating(0, { verify: true, revokeOnDelete: false }, { consumed: false });
    const crash = { step: 3, when: 2, victim: "both" } as const;
    const first = up({ ...kept, "plain-1": { ...key(0), consumed: false } }, { crash });
    const renamed: Action = { do: "rename stack", keepsOwner: true };
    await runPluginStory([first, renamed, { do: "upgrade" }, up(kept)]);
  });

  test("a key that an alias renames while it is replaced, in a run that leaves its consumer out", async () => {
    const replaced = { alias: "rotating-0", options: { replacementTrigger: 0 } };
    const renamed: Program = { "rotating-1": { ...key(0), rotating: true, ...replaced } };
    await runPluginStory([up(rotating(0)), up(renamed, { target: ["rotating-1"], replace: ["rotating-1"] })]);
  });

  test("a key that moves to another stack, whose destroy settles the request that the first stack has lost", async () => {
    const late: Action = {
      do: "fault",
      rule: { skip: 0, count: 1, route: "POST /api_keys", fault: "close", commit: "late" },
    };
    const waiting = { "plain-0": { ...key(0, { verify: true, revokeOnDelete: false }), consumed: false, waits: true } };
    await runPluginStory([late, up(waiting), { do: "state move", which: 0 }]);
  });

  test("a replacement whose revokeNow names the previous key of the resource that was deleted before it", async () => {
    const kept = { revokeOnDelete: false };
    const first = rotating(0, { ...kept }, { consumed: false, revokes: "current" });
    const next = { consumed: false, revokes: "previous", options: { deleteBeforeReplace: true } } as const;
    const second = rotating(1, { ...kept }, next);
    const plain = { "plain-1": { ...key(0, kept), consumed: false, options: { protect: true } } };
    const exact = { exact: { ...key(0, { name: "exact", onNameConflict: "revokeUnused" }), consumed: false } };
    await runPluginStory([
      up({ ...first, ...plain }),
      up({ ...second, ...exact }, { refresh: true, failing: ["rotating-1"], continueOnError: false }),
      { do: "upgrade" },
      { do: "restore", which: 2 },
    ]);
  });

  test("a current key that revokeNow names, whose resource an alias renames and that is deleted before it is replaced", async () => {
    const next = { alias: "rotating-0", revokes: "current", options: { deleteBeforeReplace: true } } as const;
    const renamed: Program = { "rotating-1": { ...key(0), rotating: true, consumed: false, ...next } };
    await runPluginStory([up(rotating(0, {}, { consumed: false })), up(renamed, { refresh: true })]);
  });

  test("a fork that is destroyed with a key that the stack, of which an older state was restored, adopts no more", async () => {
    const adopted = rotating(0, {}, { consumed: false });
    await runPluginStory([
      up({ adopted: { ...key(0), rotating: true, consumed: false, adopts: true } }),
      { do: "fork", commands: ["refresh"] },
      { do: "restore", which: 0 },
      up(adopted),
    ]);
  });
});
