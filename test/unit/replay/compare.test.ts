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
