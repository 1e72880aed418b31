import { describe, expect, test } from "vitest";
import { deliveredSince, readHistory, updatedSince } from "../../../provider/stack/history";

const at = (seconds: number) => Date.parse("2026-01-01T00:00:00.000Z") + 1_000 * seconds;

/** A whole run of ten seconds, some seconds later. */
const entry = (later = 0, fields: object = {}) => ({
  kind: "update",
  result: "succeeded",
  startTime: new Date(at(later)).toISOString(),
  endTime: new Date(at(later + 10)).toISOString(),
  environment: { "pulumi.version": "v3.260.0" },
  ...fields,
});
const environment = (more: object) => ({ environment: { "pulumi.version": "v3.260.0", ...more } });
const history = (...entries: unknown[]) => readHistory(JSON.stringify(entries));

describe("the history of a stack", () => {
  test("has a whole run, which ended before the second after the recorded one", () => {
    expect(history(entry())).toEqual([
      { isWhole: "yes", isUpdate: true, isInProgress: false, began: at(0), ended: at(10) + 999 },
    ]);
    const [exact] = history(entry(0, { endTime: "2026-01-01T00:00:10.250Z" }));
    expect(exact?.ended).toBe(at(10) + 250);
  });

  test.each<[string, object, "no" | "unknown"]>([
    ["a run that failed", { result: "failed" }, "no"],
    ["a run in progress", { result: "in-progress", endTime: undefined }, "no"],
    ["a preview", { kind: "preview" }, "no"],
    ["a refresh", { kind: "refresh" }, "no"],
    ["a destroy", { kind: "destroy" }, "no"],
    ["an import of a state", { kind: "import" }, "no"],
    ["a run with --target", environment({ "pulumi.flag.target": "set" }), "no"],
    ["a run with --target-replace", environment({ "pulumi.flag.target-replace": "set" }), "no"],
    ["a run with --exclude", environment({ "pulumi.flag.exclude": "set" }), "no"],
    ["a run with PULUMI_OPTION_TARGET", environment({ "pulumi.env.PULUMI_OPTION_TARGET": "set" }), "no"],
    ["a run with PULUMI_OPTION_EXCLUDE", environment({ "pulumi.env.PULUMI_OPTION_EXCLUDE": "set" }), "no"],
    ["a run of a CLI that records no flags", { environment: {} }, "unknown"],
    ["a run without an environment", { environment: undefined }, "unknown"],
  ])("does not count %s as whole", (_, fields, isWhole) => {
    expect(history(entry(0, fields))).toMatchObject([{ isWhole }]);
  });

  test("counts a run with flags that limit nothing", () => {
    const free = environment({ "pulumi.flag.yes": "true", "pulumi.env.PULUMI_OPTION_REFRESH": "set" });
    expect(history(entry(0, free))).toMatchObject([{ isWhole: "yes" }]);
  });

  test("has entries that cannot be read, which prove nothing", () => {
    const runs = history(7, null, "x", {});
    expect(runs.map(({ isWhole }) => isWhole)).toEqual(["no", "no", "no", "no"]);
    expect([deliveredSince(runs, 0), updatedSince(runs, at(0))]).toEqual(["no", "yes"]);
  });

  test("of a service has the run that is in progress", () => {
    expect(history(entry(0, { result: "in-progress" }), entry(-60)).map(({ isInProgress }) => isInProgress)).toEqual([
      true,
      false,
    ]);
  });

  test.each(["", "{}", "no JSON", '"text"'])("is not readable from %j", (text) => {
    expect(() => readHistory(text)).toThrow(/^is not a list of runs$/);
  });
});

describe("a rotation was delivered", () => {
  const END = at(10) + 999;

  test.each<[string, number | "no" | "unknown", unknown[]]>([
    ["by the run that made it", END, [entry()]],
    ["by that one, although later ones also reached the stack", END, [entry(60), entry(30), entry()]],
    ["by a later run after one that failed", at(70) + 999, [entry(60), entry(0, { result: "failed" })]],
    [
      "by a later run after one in part",
      at(70) + 999,
      [entry(60), entry(0, environment({ "pulumi.flag.target": "set" }))],
    ],
    ["by no run if only an earlier one was whole", "no", [entry(0, { result: "failed" }), entry(-60)]],
    ["by no run if none was whole", "no", [entry(60, { kind: "refresh" }), entry(0, { result: "failed" })]],
    ["by no run without a history", "no", []],
    ["by a later run after one that may have been in part", at(70) + 999, [entry(60), entry(0, { environment: {} })]],
    [
      "perhaps by one that may have been in part",
      "unknown",
      [entry(60, { result: "failed" }), entry(0, { environment: {} })],
    ],
    ["by no run in progress", "no", [entry(0, { result: "in-progress" })]],
    ["by no run whose end is not readable", "no", [entry(0, { endTime: "soon" })]],
    [
      "by no run before the one that made it, also if its machine's clock was ahead",
      "no",
      [entry(0, { result: "failed" }), entry(3_600)],
    ],
    ["by a later run after such a one", at(70) + 999, [entry(60), entry(0, { result: "failed" }), entry(3_600)]],
  ])("%s", (_, delivered, entries) => {
    expect(deliveredSince(history(...entries), at(5))).toBe(delivered);
  });

  test("by the run that ended in the same second, whose record has whole seconds", () => {
    expect(deliveredSince(history(entry()), at(10))).toBe(END);
    expect(deliveredSince(history(entry()), END)).toBe("no");
  });
});

describe("an update has ended since a time", () => {
  const before = entry(-600);

  test.each<[string, "yes" | "no" | "unknown", number, unknown[]]>([
    ["during it", "yes", 5, [entry(), before]],
    ["although it was one in part", "yes", 5, [entry(0, environment({ "pulumi.flag.target": "set" }))]],
    ["although it failed", "yes", 5, [entry(0, { result: "failed" }), before]],
    ["although it began later", "yes", -300, [entry(), before]],
    ["in the second in which it ended", "yes", 10.5, [entry(), before]],
    ["although its end is not readable", "yes", 600, [entry(0, { endTime: "soon" }), before]],
    ["after all of them", "no", 30, [entry(), before]],
    ["before a destroy", "no", -5, [entry(0, { kind: "destroy" }), before]],
    ["before a refresh", "no", -5, [entry(0, { kind: "refresh" }), before]],
    ["in the run that is in progress", "no", 5, [entry(0, { result: "in-progress" }), before]],
    ["before all of them, as in a stack with an imported state", "unknown", -30, [entry(60, { kind: "refresh" })]],
    ["in a stack whose first run is in progress", "unknown", 5, [entry(0, { result: "in-progress" })]],
    ["without any", "unknown", 0, []],
  ])("%s: %s", (_, expected, seconds, entries) => {
    expect(updatedSince(history(...entries), at(seconds))).toBe(expected);
  });

  test.each<[string, "yes" | "no", number, number]>([
    ["this machine's, if the service's is ahead", "yes", 30, 60],
    ["the service's, if this machine's is ahead", "yes", 5, -60],
    ["either, if they agree", "no", 30, 0],
  ])("by the earlier of two clocks, because the history can have %s", (_, expected, seconds, skew) => {
    expect(updatedSince(history(entry(), before), at(seconds), 1_000 * skew)).toBe(expected);
  });
});
