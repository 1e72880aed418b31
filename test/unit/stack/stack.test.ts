import { afterEach, describe, expect, test, vi } from "vitest";
import type { Deployment } from "../../../provider/stack/deployment";
import type { Run } from "../../../provider/stack/history";
import { PulumiError, type PulumiProblem } from "../../../provider/stack/pulumi";
import { Stack } from "../../../provider/stack/stack";
import type { EngineStep } from "../../../provider/stack/state";
import { apiKey, DYNAMIC, stateOf, step, urnOf } from "./saved-stack";

const URN = urnOf(`${DYNAMIC}ApiKey`, "ci");
const MARK = "aaaaabbbbbbb";
const CREATING: EngineStep = { kind: "creating", urn: URN, mark: MARK };
const LATER: EngineStep = { kind: "creating", urn: urnOf(`${DYNAMIC}ApiKey`, "later"), mark: "cccccddddddd" };

const ours = stateOf([apiKey("other", "7")], [step("creating", "ci", MARK)]);
const anothers = stateOf([apiKey("other", "8")], [step("creating", "ci", "aaaaaeeeeeee")]);
const RUNS: readonly Run[] = [{ isWhole: true, succeeded: true, began: 1_000, ended: 2_000 }];

const problem = (kind: PulumiProblem) => new PulumiError("`pulumi stack export` failed with exit code 255", kind);

/** A stack whose CLI knows the states of some names; `selected` is the one that is selected. */
function stackWith(states: Record<string, Deployment | Error>, histories: Record<string, readonly Run[] | Error> = {}) {
  const asked: string[] = [];
  const warned: string[] = [];
  const answer = <Of>(question: string, answers: Record<string, Of | Error>, name = "selected"): Promise<Of> => {
    asked.push(`${question} ${name}`);
    const found = answers[name] ?? problem("no stack");
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  };
  const stack = new Stack(
    (urn, text) => warned.push(`${urn} ${text}`),
    () => ({
      state: (name) => answer("state", states, name),
      history: (name) => answer("history", histories, name),
    }),
  );
  return { stack, asked, warned };
}

afterEach(() => vi.unstubAllEnvs());

describe("the state of the stack", () => {
  test("is read once for all operations of a process", async () => {
    const { stack, asked, warned } = stackWith({ dev: ours });
    const facts = await Promise.all([stack.state(CREATING), stack.state(LATER)]);
    expect(facts.map((each) => each?.holds({ id: "7" }))).toEqual(["yes", "yes"]);
    expect((await stack.state(LATER))?.notes).toEqual([{ urn: URN, mark: MARK, provider: "own" }]);
    expect([asked, warned]).toEqual([["state dev"], []]);
  });

  test("is asked for by the name that the SDK passed, whatever the URN says", async () => {
    const { stack, asked } = stackWith({ "acme/app/renamed": ours, dev: anothers });
    stack.rememberName("acme/app/renamed");
    expect((await stack.state(CREATING))?.holds({ id: "7" })).toBe("yes");
    expect(asked).toEqual(["state acme/app/renamed"]);
  });

  test.each<[string, Record<string, Deployment>]>([
    ["has no stack of the name", { selected: ours }],
    ["has one that is not this one", { dev: anothers, selected: ours }],
  ])("is that of the selected stack if the default organization %s", async (_, states) => {
    const { stack, asked, warned } = stackWith(states);
    expect((await stack.state(CREATING))?.holds({ id: "7" })).toBe("yes");
    expect([asked, warned]).toEqual([["state dev", "state selected"], []]);
  });

  test.each<[string, Record<string, Deployment | Error>, number]>([
    ["no answer proves to be this stack's", { dev: anothers, selected: anothers }, 2],
    ["no stack is found", {}, 2],
    ["the CLI does not answer", { dev: problem("no answer"), selected: ours }, 1],
    ["the CLI is not found", { dev: problem("not found"), selected: ours }, 1],
  ])("is unknown if %s, and one warning says so", async (_, states, questions) => {
    const { stack, asked, warned } = stackWith(states);
    expect(await Promise.all([stack.state(CREATING), stack.state(LATER)])).toEqual([undefined, undefined]);
    expect(await stack.state(LATER)).toBeUndefined();
    expect(asked).toHaveLength(questions);
    expect(warned).toEqual([expect.stringMatching(new RegExp(`^${URN.replaceAll("/", "\\/")} .*stay live$`))]);
  });

  test("is unknown without a question if the engine does not save it during the run", async () => {
    vi.stubEnv("PULUMI_SKIP_CHECKPOINTS", "true");
    const { stack, asked, warned } = stackWith({ dev: ours });
    expect(await stack.state(CREATING)).toBeUndefined();
    expect([asked, warned.length]).toEqual([[], 1]);
    vi.stubEnv("PULUMI_SKIP_CHECKPOINTS", "false");
    expect(await stackWith({ dev: ours }).stack.state(CREATING)).toBeDefined();
  });

  test("is read once more for the changes of a run that also refreshes, because a refresh has weaker proofs", async () => {
    const { stack, asked } = stackWith({ dev: ours });
    const reading: EngineStep = { kind: "reading", urn: urnOf(`${DYNAMIC}ApiKey`, "other"), id: "7" };
    expect(await stack.state(reading)).toBeDefined();
    for (let times = 0; times < 2; times++) expect(await stack.state(CREATING)).toBeDefined();
    expect(asked).toEqual(["state dev", "state dev"]);
  });
});

describe("the history of the stack", () => {
  test("is read once, without the state if the whole name is known", async () => {
    const { stack, asked } = stackWith({}, { "acme/app/dev": RUNS });
    stack.rememberName("acme/app/dev");
    expect(await Promise.all([stack.history(CREATING), stack.history(LATER)])).toEqual([RUNS, RUNS]);
    expect(asked).toEqual(["history acme/app/dev"]);
  });

  test("is that of the stack whose state proved to be this one's", async () => {
    const { stack, asked } = stackWith({ dev: anothers, selected: ours }, { dev: [], selected: RUNS });
    expect(await stack.history(CREATING)).toEqual(RUNS);
    expect(asked).toEqual(["state dev", "state selected", "history selected"]);
  });

  test.each<[string, Record<string, Deployment>]>([
    ["no state proves to be this stack's", {}],
    ["the CLI does not answer", { dev: ours }],
  ])("is unknown if %s, and one warning says so", async (_, states) => {
    const { stack, warned } = stackWith(states, { dev: problem("no answer"), selected: problem("no answer") });
    expect([await stack.history(CREATING), await stack.history(LATER)]).toEqual([undefined, undefined]);
    expect(warned).toHaveLength(1);
  });
});

test("a CLI that cannot be found is no error, and the warning names the variable with its path", async () => {
  vi.stubEnv("KEYPLANE_PULUMI", "/nowhere/pulumi");
  const warned: string[] = [];
  const stack = new Stack((_, text) => warned.push(text));
  expect(await stack.state(CREATING)).toBeUndefined();
  expect(warned).toEqual([expect.stringContaining("KEYPLANE_PULUMI")]);
});
