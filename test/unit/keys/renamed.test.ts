import { describe, expect, test } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { formerName, isRenamedFrom, stackIn } from "../../../provider/keys/identity";
import { check } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import { json, StackHarness } from "../resources/harness";

const NOW = { organization: "acme", project: "app", stack: "live" };

test.each<[string, Record<string, string>, string[], boolean]>([
  ["the stack alone, in the same project", { ...NOW, stack: "dev" }, ["dev"], true],
  ["project and stack", { ...NOW, project: "old", stack: "dev" }, ["old/dev"], true],
  ["organization, project and stack", { organization: "me", project: "app", stack: "dev" }, ["me/app/dev"], true],
  ["one of several", { ...NOW, stack: "dev" }, ["first", "dev"], true],
  ["a state that has no organization", { project: "app", stack: "dev" }, ["me/app/dev"], true],
  ["nothing", { ...NOW, stack: "dev" }, [], false],
  ["another stack", { ...NOW, stack: "dev" }, ["test"], false],
  ["the stack alone, but of another project", { ...NOW, project: "old", stack: "dev" }, ["dev"], false],
  ["another project", { ...NOW, project: "old", stack: "dev" }, ["other/dev"], false],
  ["another organization", { organization: "me", project: "app", stack: "dev" }, ["you/app/dev"], false],
  ["a name that only ends with it", { ...NOW, stack: "dev" }, ["my-dev"], false],
])("renamedFrom that names %s", (_, before, renamedFrom, expected) => {
  expect(isRenamedFrom(before, NOW, renamedFrom)).toBe(expected);
});

test("a stack can have moved from another organization under its own name", () => {
  expect(isRenamedFrom({ ...NOW, organization: "me" }, NOW, ["me/app/live"])).toBe(true);
});

test.each([
  ["the same stack", NOW, undefined],
  ["a renamed stack", { ...NOW, stack: "dev" }, "dev"],
  ["another project", { ...NOW, project: "old", stack: "dev" }, "old/dev"],
  ["another organization, under its own name", { ...NOW, organization: "me" }, "me/app/live"],
  ["a state that has no organization", { project: "app", stack: "dev" }, "dev"],
])("the former name of %s is an entry of renamedFrom", (_, before, expected) => {
  const name = formerName(before, NOW);
  expect(name).toBe(expected);
  if (name !== undefined) expect(isRenamedFrom(before, NOW, [name])).toBe(true);
});

test("the project and the stack are read from a URN", () => {
  expect(stackIn("urn:pulumi:dev::app::keyplane:index:ApiKey::a::b")).toEqual({ project: "app", stack: "dev" });
  expect(stackIn("")).toEqual({ project: "", stack: "" });
});

describe("the owner of a stack's keys", () => {
  const outputs = { ...NOW, stack: "dev", identity: "id.fingerprint" };
  const changes = (renamedFrom: readonly string[]) =>
    diff(resourceTypes.Owner, json(outputs), json(NOW), {
      ...{ now: 0, driftOnly: false, hasLedger: true },
      accountMark: () => "fingerprint",
      renamedFrom: () => renamedFrom,
    });

  test("is replaced in a renamed or copied stack, because a copy must not claim the keys of the original", () => {
    expect(changes([])).toMatchObject({ changes: true, replaces: ["stack"] });
    expect(changes(["other"])).toMatchObject({ changes: true, replaces: ["stack"] });
  });

  test("is replaced in another organization, where another stack can have the same name", () => {
    const moved = { ...outputs, stack: "live", organization: "me" };
    const terms = { now: 0, driftOnly: false, hasLedger: true, accountMark: () => "fingerprint" };
    expect(diff(resourceTypes.Owner, json(moved), json(NOW), terms)).toMatchObject({ replaces: ["stack"] });
  });

  test("is kept if the settings say that the stack was renamed", () => {
    expect(changes(["dev"])).toMatchObject({ changes: true, replaces: [] });
  });
});

describe("the record of runs in the owner's inputs", () => {
  const completed = async (before: Properties, runId: string | undefined) => {
    const { context } = await StackHarness.start({ runRecord: runId });
    return json(check(resourceTypes.Owner, NOW, context, before).inputs).runs;
  };

  test("has this run before any key is created, and the last ones", async () => {
    expect(await completed({}, "run-1")).toEqual(["run-1"]);
    expect(await completed({ runs: ["run-1"] }, "run-2")).toEqual(["run-1", "run-2"]);
    const ten = Array.from({ length: 10 }, (_, n) => `run-${n}`);
    expect(await completed({ runs: ten }, "last")).toEqual([...ten.slice(1), "last"]);
  });

  test("does not change if the inputs are compared with a plan", async () => {
    expect(await completed({ runs: ["run-1"] }, undefined)).toEqual(["run-1"]);
  });
});
