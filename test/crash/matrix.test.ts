import { describe, expect, test } from "vitest";
import { exclusionOf } from "./exclusions";
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
  const reported = { shown: new Set(["a"]), keepsItsKey: true, reported: new Set(["7"]) };
  const removed = { ...reported, shown: new Set<string>() };

  test("is a failure of the dynamic provider in any case", () => {
    expect([reported, removed].map((each) => exclusionOf("dynamic", leftover, each))).toEqual([undefined, undefined]);
  });

  test("is a failure of the plugin, unless its resource is gone, or keeps its key and the key is reported", () => {
    expect(exclusionOf("plugin", leftover, removed)?.title).toBe("the key has left the program");
    expect(exclusionOf("plugin", leftover, reported)?.title).toBe("the resource keeps its key");
    expect(exclusionOf("plugin", leftover, { ...reported, reported: new Set() })).toBeUndefined();
    expect(exclusionOf("plugin", leftover, { ...reported, keepsItsKey: false })).toBeUndefined();
  });
});
