import { describe, expect, test } from "vitest";
import type { Crash, FrontEnd } from "../engineless/provider-process";
import type { Declared, Program } from "../engineless/test-stack";
import { POST } from "../routes";
import { type Action, PREVIOUS } from "./actions";
import { requestsOf, runStory } from "./run-story";

const plain = (trigger: number): Declared => ({
  kind: "ApiKey",
  inputs: { rotationTriggers: { trigger } },
});
const rotating = (trigger: number, inputs: object = {}): Declared => ({
  kind: "RotatingApiKey",
  inputs: { rotationTriggers: { trigger }, gracePeriod: "1h", quietPeriod: "30m", maxOverlap: "3h", ...inputs },
});
const up = (program: Program, crash?: Crash) => ({ do: "up", program, crash, oneByOne: true }) as const;
const three = (key: Declared): Program => ({ "plain-0": key, "plain-1": key, "rotating-0": key });
const two = (trigger: number): Program => ({ "rotating-0": rotating(trigger), "rotating-1": rotating(trigger) });
const destroy: Action = { do: "destroy" };
const both = (moment: number): Crash => ({ moment, victim: "both" });
const lost = { route: POST, fault: "close", commit: "before", count: 3 } as const;

describe.each<FrontEnd>(["dynamic", "plugin"])("a stack of the %s provider", (frontEnd) => {
  test("sends the requests that its changes need, and no others", async () => {
    const keys = three(plain(1));
    const changes = [up(keys), up(keys), { do: "refresh" }, up(three(plain(2))), destroy] as const;
    expect(await requestsOf(frontEnd, changes)).toEqual([4, 0, 1, 7, 4]);
  });

  test("rotates N keys with 2N + 2 requests, the retirement included", async () => {
    const wait: Action = { do: "wait", minutes: 61 };
    const changes = [up(two(1)), up(two(2)), wait, up(two(2)), destroy];
    expect(await requestsOf(frontEnd, changes)).toEqual([3, 3, 0, 3, 3]);
  });

  test("revokes what a killed run has left behind, also in a run that refreshes first", async () => {
    const keys = { "plain-0": plain(1), "plain-1": plain(1) };
    // The answer to the second creation has come.
    const killed = [up({ "plain-0": plain(1) }), up(keys, both(8))];
    expect(await requestsOf(frontEnd, [...killed, up(keys)])).toEqual([2, 2, 3]);
    expect(await requestsOf(frontEnd, [...killed, { ...up(keys), refreshes: true }])).toEqual([2, 2, 3]);
  });

  const stories: Readonly<Record<string, readonly Action[]>> = {
    "a creation is killed, and taken back": [
      up({ "plain-0": plain(1) }),
      up(three(plain(1)), both(9)),
      up({ "plain-0": plain(1) }),
      up({ "plain-0": plain(2) }),
    ],
    "a creation is killed, and everything destroyed": [
      up({ "plain-0": plain(1) }),
      up(three(plain(1)), both(9)),
      destroy,
    ],
    "a rotation is killed at its end, and its trigger undone": [up(two(1)), up(two(2), both(7)), up(two(1)), destroy],
    "every answer of a rotation is lost": [up(two(1)), { do: "fault", rule: lost }, up(two(2)), up(two(2))],
    "the state from before a rotation is restored": [up(two(1)), up(two(2)), { do: "restore", which: 1 }, up(two(3))],
    "a previous key is compromised while the provider dies": [
      up(two(1)),
      up(two(2)),
      up({ "rotating-0": rotating(2, { revokeNow: PREVIOUS }) }, { moment: 5, victim: "host" }),
    ],
  };
  test.each(Object.entries(stories))("keeps all invariants if %s", (_, story) => runStory(frontEnd, story));
});
