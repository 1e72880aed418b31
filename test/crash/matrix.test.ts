import { describe, expect, test } from "vitest";
import { matrix, reduced } from "./matrix";
import { REDUCED } from "./run-reduced";
import { scenarios } from "./scenarios";

const full = matrix({ engineMoments: true });

describe("the crash matrix", () => {
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
    expect(valuesOf(full).scenarios.size).toBe(scenarios.length);
  });

  test("contains only the provider's and the service's moments if the engine publishes none", () => {
    const moments = matrix({ engineMoments: false }).map(({ moment }) => moment.at);
    expect(new Set(moments)).toEqual(new Set(["provider", "server"]));
  });
});
