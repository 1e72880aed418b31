import { describe, expect, test } from "vitest";
import { type Circumstances, exclusionOf } from "./exclusions";
import { matrix, reduced } from "./matrix";
import type { FrontEnd } from "./plan";
import { REDUCED } from "./run-reduced";
import { scenariosOf } from "./scenarios";

describe.each<FrontEnd>(["dynamic", "plugin"])("the crash matrix of the %s provider", (frontEnd) => {
  const full = matrix({ frontEnd, engineMoments: true });

  test("gives each run a unique name, so that a run can be resumed and found again", () => {
    expect(new Set(full.map(({ id }) => id)).size).toBe(full.length);
  });

  test("has a reduced form that still contains every moment, victim, commit, command and scenario", () => {
    const some = reduced(full, REDUCED);
    const valuesOf = (cases: typeof full) => ({
      points: new Set(cases.map(({ moment }) => moment.point)),
      victims: new Set(cases.map(({ victim }) => victim)),
      commits: new Set(cases.map(({ commit }) => commit)),
      next: new Set(cases.map(({ next }) => next)),
      scenarios: new Set(cases.map(({ scenario }) => scenario)),
    });
    expect(some).toHaveLength(REDUCED);
    expect(valuesOf(some)).toEqual(valuesOf(full));
    expect(valuesOf(full).scenarios.size).toBe(scenariosOf(frontEnd).length);
  });

  test("contains only the provider's and the service's moments if the engine publishes none", () => {
    const moments = matrix({ frontEnd, engineMoments: false }).map(({ moment }) => moment.at);
    expect(new Set(moments)).toEqual(new Set(["provider", "server"]));
  });
});

describe("a key that no state holds", () => {
  const leftover = { id: "7", resource: "a" };
  const up: Circumstances = {
    ...{ command: "up", interrupted: "up", isRecorded: true },
    ...{ shown: new Set(["a"]), reported: new Set(["7"]) },
  };
  const destroy: Circumstances = { ...up, command: "destroy" };
  const titleOf = (frontEnd: FrontEnd, circumstances: Circumstances) =>
    exclusionOf(frontEnd, leftover, circumstances)?.title;
  const nothing = { shown: new Set<string>() };

  test("is a failure of the dynamic provider, unless a destroy was interrupted and it is reported", () => {
    const cases = [up, destroy].flatMap((each) => [each, { ...each, ...nothing }]);
    expect(cases.map((each) => titleOf("dynamic", each))).toEqual([undefined, undefined, undefined, undefined]);
    const interrupted = { ...destroy, interrupted: "destroy" } as const;
    expect(titleOf("dynamic", interrupted)).toBe("reported");
    expect(titleOf("dynamic", { ...interrupted, reported: new Set() })).toBeUndefined();
  });

  test("is a failure of the plugin after an up, unless its resource is gone", () => {
    expect(titleOf("plugin", { ...up, ...nothing })).toBe("the key has left the program");
    expect(titleOf("plugin", up)).toBeUndefined();
    expect(titleOf("plugin", { ...up, reported: new Set() })).toBeUndefined();
  });

  test("is a failure of the plugin after a destroy, unless the state has no record of it and it is reported", () => {
    expect(titleOf("plugin", destroy)).toBeUndefined();
    expect(titleOf("plugin", { ...destroy, isRecorded: false })).toBe("reported");
    expect(titleOf("plugin", { ...destroy, isRecorded: false, reported: new Set() })).toBeUndefined();
    expect(titleOf("plugin", { ...destroy, ...nothing })).toBe("no resource is left");
    expect(titleOf("plugin", { ...destroy, shown: new Set(["b"]) })).toBeUndefined();
  });
});
