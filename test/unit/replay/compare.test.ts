import { describe, expect, test } from "vitest";
import type { Case, Observed } from "../../conformance/replay/case";
import { asCompared, inTermsOf } from "../../conformance/replay/compare";

const probe = (name: string) => `pulumi-nodejs:dynamic/probe:Probe::${name}`;
const stack = "pulumi:pulumi:Stack::proj-dev";

const check = (label: string) => ({ method: "check", args: [{}, { label }] });
const create = (label: string) => ({ method: "create", args: [{ label }] });
const row = (name: string, more = {}) => ({
  urn: probe(name),
  id: `${name}-1`,
  parent: stack,
  inputs: { label: name },
  ...more,
});

// An empty field means the same as an absent one.
const recordedRow = (name: string, more = {}) => row(name, { propertyDependencies: {}, ...more });

// b depends on a; c on nothing.
const recorded: Observed = {
  exit: "failed",
  calls: [check("a"), create("a"), check("c"), create("c"), check("b"), create("b")],
  steps: [
    { op: "create", urn: probe("a") },
    { op: "create", urn: probe("c") },
    { op: "create", urn: probe("b"), failed: true },
    { op: "create", urn: stack },
  ],
  diagnostics: [
    { severity: "error", urn: probe("b"), message: "b cannot be created" },
    { severity: "error", urn: "", message: "update failed" },
  ],
  state: {
    resources: [{ urn: stack }, recordedRow("a"), recordedRow("c"), recordedRow("b", { dependencies: [probe("a")] })],
    pendingOperations: [],
  },
};
const recording: Case = { name: "case", about: "", steps: [{ command: "up", expect: recorded }] };

const passes = (seen: Observed) => expect(inTermsOf(recording, 0, seen)).toEqual(asCompared(recorded));
const fails = (seen: Observed) => expect(inTermsOf(recording, 0, seen)).not.toEqual(asCompared(recorded));

/** A second step with the calls and rows of `seen` in place of the recorded ones. */
function second(
  resources: { before: Observed["state"]["resources"]; after: Observed["state"]["resources"] },
  done: Partial<Pick<Observed, "calls" | "steps">>,
  command: Case["steps"][number]["command"] = "up",
) {
  const observed = (rows: Observed["state"]["resources"]): Observed => ({
    exit: "ok",
    calls: [],
    steps: [],
    diagnostics: [],
    state: { resources: rows, pendingOperations: [] },
  });
  const expected = { ...observed(resources.after), ...done };
  const steps = [
    { command: "up" as const, expect: observed(resources.before) },
    { command, expect: expected },
  ];
  const seenAs = (seen: typeof done) => inTermsOf({ name: "", about: "", steps }, 1, { ...expected, ...seen });
  return {
    passes: (seen: typeof done) => expect(seenAs(seen)).toEqual(asCompared(expected)),
    fails: (seen: typeof done) => expect(seenAs(seen)).not.toEqual(asCompared(expected)),
  };
}

describe("a replay matches the recording", () => {
  test("if it is the same", () => passes(recorded));

  test("if only the random id of a provider differs", () => {
    const provider = { urn: "pulumi:providers:pulumi-nodejs::p", id: "ea013a89" };
    const resources = [provider, ...recorded.state.resources];
    passes({
      ...recorded,
      steps: [{ op: "create", urn: provider.urn }, ...recorded.steps],
      state: { ...recorded.state, resources },
    });
  });

  test("if only the order of independent items differs", () => {
    const [a, c, b, last] = recorded.steps as [never, never, never, never];
    const dependent = row("b", { dependencies: [probe("a")] });
    passes({
      ...recorded,
      calls: [check("c"), check("a"), create("a"), check("b"), create("c"), create("b")],
      steps: [c, a, b, last],
      state: { ...recorded.state, resources: [{ urn: stack }, row("a"), dependent, row("c")] },
    });
    fails({ ...recorded, steps: [a, b, last, c] });
  });

  test("if messages have other words or another order but name the same causes", () => {
    passes({
      ...recorded,
      diagnostics: [
        { severity: "error", urn: "", message: "the update failed: update failed" },
        { severity: "error", urn: probe("b"), message: "creating b: b cannot be created" },
      ],
    });
  });
});

describe("an order is free", () => {
  const by = (method: string, id: string, label = id.slice(0, 1), more = {}) => ({
    method,
    args: [id, { label, ...more }],
  });
  const dependent = row("b", { dependencies: [probe("a")] });

  test("between the pending deletions of one resource, but not between its update and a deletion", () => {
    const pending = (id: string) => row("a", { id, delete: true });
    const calls = [by("update", "a-3"), by("delete", "a-2"), by("delete", "a-1")] as const;
    const [update, newer, older] = calls;
    const steps = [
      { op: "update", urn: probe("a") },
      { op: "delete-replaced", urn: probe("a"), failed: true },
      { op: "delete-replaced", urn: probe("a") },
    ] as const;
    const before = [row("a", { id: "a-3" }), pending("a-2"), pending("a-1")];
    const compared = second({ before, after: [row("a", { id: "a-3" }), pending("a-2")] }, { calls, steps });
    compared.passes({ calls: [update, older, newer], steps: [steps[0], steps[2], steps[1]] });
    compared.fails({ calls: [newer, update, older] });
    compared.fails({ steps: [steps[1], steps[0], steps[2]] });
  });

  test("between refreshed resources, but not between dependents in an update", () => {
    const calls = [by("read", "a-1"), by("diff", "a-1"), by("read", "b-1"), by("diff", "b-1")] as const;
    const steps = [
      { op: "same", urn: probe("a") },
      { op: "same", urn: probe("b") },
    ] as const;
    const rows = [row("a"), dependent];
    const [readA, diffA, readB, diffB] = calls;
    const other = { calls: [readB, diffB, readA, diffA], steps: steps.toReversed() };
    second({ before: rows, after: rows }, { calls, steps }, "refresh").passes(other);
    second({ before: rows, after: rows }, { calls, steps }, "refresh").fails({ calls: [diffA, readA, readB, diffB] });
    second({ before: rows, after: rows }, { calls, steps }).fails(other);
  });

  test("if the program dropped a dependency, but not before the deletion of that dependency", () => {
    const calls = [by("update", "a-1"), by("update", "b-1")] as const;
    const rows = { before: [row("a"), dependent], after: [row("a"), row("b")] };
    second(rows, { calls }).passes({ calls: calls.toReversed() });
    const deletion = [by("update", "b-1"), by("delete", "a-1")];
    const steps = [
      { op: "update", urn: probe("b") },
      { op: "delete", urn: probe("a") },
    ];
    const removed = second({ before: [row("a"), dependent], after: [row("b")] }, { calls: deletion, steps });
    removed.fails({ calls: deletion.toReversed() });
    removed.fails({ steps: steps.toReversed() });
  });

  test("between deletions that are connected only through a remaining resource", () => {
    const between = row("b", { dependencies: [probe("a")] });
    const before = [row("a"), between, row("c", { dependencies: [probe("b")] })];
    const calls = [by("delete", "c-1"), by("delete", "a-1")];
    const steps = [
      { op: "delete", urn: probe("c") },
      { op: "delete", urn: probe("a") },
    ];
    second({ before, after: [between] }, { calls, steps }).passes({ calls: calls.toReversed() });
    const all = [...steps, { op: "delete", urn: probe("b") }];
    second({ before, after: [] }, { calls, steps: all }).fails({ calls: calls.toReversed() });
  });

  test("between resources that share a label, but not if one of them was only renamed", () => {
    const twins = [row("a"), row("b", { inputs: { label: "a" }, id: "a-2" })];
    const calls = [check("a"), by("diff", "a-1"), create("a")];
    const others = [create("a"), check("a"), by("diff", "a-1")];
    second({ before: [row("a")], after: twins }, { calls }).passes({ calls: others });
    const renamed = [row("b", { inputs: { label: "a" }, id: "a-1" })];
    second({ before: [row("a")], after: renamed }, { calls }).fails({ calls: others });
  });

  test("among the keys of a replacement", () => {
    const steps = [{ op: "create-replacement", urn: probe("a"), keys: ["v", "due"] }];
    const compared = second({ before: [row("a")], after: [row("a", { id: "a-2" })] }, { steps });
    compared.passes({ steps: [{ op: "create-replacement", urn: probe("a"), keys: ["due", "v"] }] });
    compared.fails({ steps: [{ op: "create-replacement", urn: probe("a"), keys: ["due"] }] });
  });
});

describe("a replay does not match the recording", () => {
  test.each<[string, Observed["calls"]]>([
    [
      "a dependent comes before what it depends on",
      [check("b"), check("a"), create("a"), check("c"), create("c"), create("b")],
    ],
    [
      "the calls of one resource change places",
      [create("a"), check("a"), check("c"), create("c"), check("b"), create("b")],
    ],
    ["a call is missing", recorded.calls.slice(0, -1)],
    ["a call is made twice", [...recorded.calls, create("b")]],
    [
      "a call has another argument",
      [...recorded.calls.slice(0, -1), { method: "create", args: [{ label: "b", v: 1 }] }],
    ],
  ])("if %s", (_what, calls) => fails({ ...recorded, calls }));

  test("if the stack's row is in another place", () => {
    const [a, c, b, last] = recorded.steps as [never, never, never, never];
    fails({ ...recorded, steps: [last, a, c, b] });
  });

  test("if it has another result", () => fails({ ...recorded, exit: "ok" }));

  test.each([
    ["of another resource", { severity: "error", urn: probe("a"), message: "b cannot be created" }],
    ["of another cause", { severity: "error", urn: probe("b"), message: "b cannot be updated" }],
    ["less severe", { severity: "warning", urn: probe("b"), message: "b cannot be created" }],
  ])("if a message is %s", (_what, message) => {
    fails({ ...recorded, diagnostics: [message, ...recorded.diagnostics.slice(1)] });
  });

  test("if the state has an additional, a missing or a different field", () => {
    const withB = (b: Observed["state"]["resources"][number]) =>
      fails({ ...recorded, state: { ...recorded.state, resources: [...recorded.state.resources.slice(0, -1), b] } });
    withB(row("b"));
    withB(row("b", { dependencies: [probe("a")], protect: true }));
    withB(row("b", { dependencies: [probe("a")], id: "b-2" }));
  });

  test("if an additional operation is pending", () => {
    const pendingOperations = [{ type: "creating", urn: probe("b") }];
    fails({ ...recorded, state: { ...recorded.state, pendingOperations } });
  });
});
