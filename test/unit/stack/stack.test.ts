import { afterEach, describe, expect, test, vi } from "vitest";
import type { Deployment } from "../../../provider/stack/deployment";
import type { Run } from "../../../provider/stack/history";
import { PulumiError, type PulumiProblem } from "../../../provider/stack/pulumi";
import { Stack } from "../../../provider/stack/stack";
import type { EngineCall } from "../../../provider/stack/stack-facts";
import { apiKey, DYNAMIC, stateOf, step, urnOf } from "./saved-stack";

const URN = urnOf(`${DYNAMIC}ApiKey`, "ci");
const SUFFIX = "aaaaabbbbbbb";
const CREATING: EngineCall = { verb: "create", urn: URN, suffix: SUFFIX };
const LATER: EngineCall = { verb: "create", urn: urnOf(`${DYNAMIC}ApiKey`, "later"), suffix: "cccccddddddd" };

const ours = stateOf([apiKey("other", "7")], [step("creating", "ci", SUFFIX)]);
const anothers = stateOf([apiKey("other", "8")], [step("creating", "ci", "aaaaaeeeeeee")]);
const RUN: Run = { isWhole: "yes", isUpdate: true, isInProgress: false, began: 1_000, ended: 2_000 };
const RUNS: readonly Run[] = [RUN];
const IN_PROGRESS: readonly Run[] = [{ ...RUN, isWhole: "no", isInProgress: true }, RUN];

const problem = (kind: PulumiProblem) => new PulumiError("`pulumi stack export` failed with exit code 255", kind);

/** A stack whose CLI knows the states of some names; `selected` is the one that is selected. */
function stackWith(
  states: Record<string, Deployment | Error>,
  histories: Record<string, readonly Run[] | Error> = {},
  organizations: readonly string[] = [],
) {
  const asked: string[] = [];
  const answer = <Of>(question: string, answers: Record<string, Of | Error>, name = "selected"): Promise<Of> => {
    asked.push(`${question} ${name}`);
    const found = answers[name] ?? problem("no stack");
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  };
  const stack = new Stack({
    state: (name) => answer("state", states, name),
    history: (name) => answer("history", histories, name),
    organizations: async () => organizations,
  });
  return { stack, asked };
}

/** Whether the key 7 is held, by the state that was found. */
async function heldIn(stack: Stack, step = CREATING): Promise<string> {
  const state = await stack.state(step);
  return "unread" in state ? "unread" : state.holds({ id: "7" });
}

afterEach(() => vi.unstubAllEnvs());

describe("the state of the stack", () => {
  test("is read once for all operations of a process, also for a refresh", async () => {
    const { stack, asked } = stackWith({ dev: ours });
    const reading: EngineCall = { verb: "read", urn: urnOf(`${DYNAMIC}ApiKey`, "other"), id: "7" };
    expect(await Promise.all([CREATING, LATER, reading].map((step) => heldIn(stack, step)))).toEqual([
      ...["yes", "yes", "yes"],
    ]);
    expect(asked).toEqual(["state dev"]);
  });

  test("is asked for by the name that the SDK passed, whatever the URN says", async () => {
    const { stack, asked } = stackWith({ "acme/app/renamed": ours, dev: anothers });
    stack.rememberName("acme/app/renamed");
    expect(await heldIn(stack)).toBe("yes");
    expect(asked).toEqual(["state acme/app/renamed"]);
  });

  test("is asked for in the organization that a resource has recorded", async () => {
    const { stack, asked } = stackWith({ "acme/app/dev": ours, dev: anothers });
    stack.rememberOrganization("acme");
    expect(await heldIn(stack)).toBe("yes");
    expect(asked).toEqual(["state acme/app/dev"]);
  });

  test.each<[string, Record<string, Deployment>]>([
    ["has no stack of the name", { selected: ours }],
    ["has one that is not this one", { dev: anothers, selected: ours }],
  ])("is that of the selected stack if the default organization %s", async (_, states) => {
    const { stack, asked } = stackWith(states);
    expect(await heldIn(stack)).toBe("yes");
    expect(asked).toEqual(["state dev", "state selected"]);
  });

  test("is looked for in each organization of the user, if none is known", async () => {
    const { stack, asked } = stackWith({ dev: anothers, "acme/app/dev": ours }, {}, ["me", "acme"]);
    expect(await heldIn(stack)).toBe("yes");
    expect(asked).toEqual(["state dev", "state selected", "state me/app/dev", "state acme/app/dev"]);
  });

  test("is this stack's if it has a resource that the engine has shown, although it lacks what this run does", async () => {
    const before = stateOf([apiKey("other", "7", { __suffix: "dddddeeeeeee" })]);
    const { stack } = stackWith({ dev: before });
    stack.remember(urnOf(`${DYNAMIC}ApiKey`, "other"), "dddddeeeeeee", "7");
    expect(await heldIn(stack)).toBe("yes");
  });

  test.each<[string, string | undefined, Record<string, readonly Run[]>, readonly string[], boolean]>([
    ["its whole name is known", "acme/app/dev", { "acme/app/dev": IN_PROGRESS }, [], true],
    ["its name is in one organization", undefined, { "acme/app/dev": IN_PROGRESS }, ["me", "acme"], true],
    ["its name is in two organizations: no", undefined, { "acme/app/dev": IN_PROGRESS }, ["acme", "umbrella"], false],
    ["no run of it is in progress: no", "acme/app/dev", { "acme/app/dev": RUNS }, [], false],
  ])(
    "is this stack's before anything of it was shown, if a run of it is in progress, and %s",
    async (_, name, runs, organizations, isFound) => {
      const empty = stateOf([]);
      const answers = { dev: empty, selected: empty, "acme/app/dev": empty, "umbrella/app/dev": empty };
      const { stack } = stackWith(answers, runs, organizations);
      if (name !== undefined) stack.rememberName(name);
      expect(await heldIn(stack)).toBe(isFound ? "no" : "unread");
    },
  );

  test("is not this stack's because of its run, once the engine has shown a key that it lacks", async () => {
    const { stack } = stackWith({ "acme/app/dev": anothers }, { "acme/app/dev": IN_PROGRESS });
    stack.rememberName("acme/app/dev");
    stack.remember(URN, SUFFIX, "5");
    expect(await heldIn(stack)).toBe("unread");
  });

  test.each<[string, Record<string, Deployment | Error>, number]>([
    ["no answer proves to be this stack's", { dev: anothers, selected: anothers }, 2],
    ["no stack is found", {}, 2],
    ["the CLI does not answer", { dev: problem("no answer"), selected: ours }, 1],
    ["the CLI is not found", { dev: problem("not found"), selected: ours }, 1],
  ])("is unknown if %s", async (_, states, questions) => {
    const { stack, asked } = stackWith(states);
    expect(await Promise.all([heldIn(stack), heldIn(stack, LATER)])).toEqual(["unread", "unread"]);
    expect(asked).toHaveLength(questions);
  });

  test.each<[string, Record<string, readonly Run[]>, string]>([
    ["unknown if the engine does not save it during the run", { dev: RUNS }, "unread"],
    ["known on a service, which saves it all the same", { dev: IN_PROGRESS }, "yes"],
  ])("from before the run is %s", async (_, runs, held) => {
    vi.stubEnv("PULUMI_SKIP_CHECKPOINTS", "true");
    const { stack } = stackWith({ dev: stateOf([apiKey("other", "7", { __suffix: "dddddeeeeeee" })]) }, runs);
    stack.remember(urnOf(`${DYNAMIC}ApiKey`, "other"), "dddddeeeeeee", "7");
    expect(await heldIn(stack)).toBe(held);
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
  ])("is unknown if %s", async (_, states) => {
    const { stack } = stackWith(states, { dev: problem("no answer"), selected: problem("no answer") });
    expect([await stack.history(CREATING), await stack.history(LATER)]).toMatchObject([
      { unread: expect.any(String) },
      { unread: expect.any(String) },
    ]);
  });
});

test("a CLI that cannot be found is no error, and the reason names the variable with its path", async () => {
  vi.stubEnv("KEYPLANE_PULUMI", "/nowhere/pulumi");
  expect(await new Stack().state(CREATING)).toEqual({ unread: expect.stringContaining("KEYPLANE_PULUMI") });
});
