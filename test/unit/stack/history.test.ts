import { describe, expect, test } from "vitest";
import { deliveredSince, readHistory, succeededAt } from "../../../provider/stack/history";

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
    expect(history(entry())).toEqual([{ isWhole: true, succeeded: true, began: at(0), ended: at(10) + 999 }]);
    const [exact] = history(entry(0, { endTime: "2026-01-01T00:00:10.250Z" }));
    expect(exact?.ended).toBe(at(10) + 250);
  });

  test.each<[string, object, boolean]>([
    ["a run that failed", { result: "failed" }, false],
    ["a run in progress", { result: "in-progress", endTime: undefined }, false],
    ["a preview", { kind: "preview" }, false],
    ["a refresh", { kind: "refresh" }, false],
    ["a destroy", { kind: "destroy" }, false],
    ["an import of a state", { kind: "import" }, false],
    ["a run with --target", environment({ "pulumi.flag.target": "set" }), true],
    ["a run with --target-replace", environment({ "pulumi.flag.target-replace": "set" }), true],
    ["a run with --exclude", environment({ "pulumi.flag.exclude": "set" }), true],
    ["a run with PULUMI_OPTION_TARGET", environment({ "pulumi.env.PULUMI_OPTION_TARGET": "set" }), true],
    ["a run with PULUMI_OPTION_EXCLUDE", environment({ "pulumi.env.PULUMI_OPTION_EXCLUDE": "set" }), true],
    ["a run of a CLI that records no flags", { environment: {} }, true],
    ["a run without an environment", { environment: undefined }, true],
  ])("does not count %s as whole", (_, fields, succeeded) => {
    expect(history(entry(0, fields))).toMatchObject([{ isWhole: false, succeeded }]);
  });

  test("counts a run with flags that limit nothing", () => {
    const free = environment({ "pulumi.flag.yes": "true", "pulumi.env.PULUMI_OPTION_REFRESH": "set" });
    expect(history(entry(0, free))).toMatchObject([{ isWhole: true }]);
  });

  test("has entries that cannot be read, which prove nothing", () => {
    const runs = history(7, null, "x", {});
    expect(runs.map(({ isWhole, succeeded }) => isWhole || succeeded)).toEqual([false, false, false, false]);
    expect([deliveredSince(runs, 0), succeededAt(runs, at(0))]).toEqual([undefined, "unknown"]);
  });

  test.each(["", "{}", "no JSON", '"text"'])("is not readable from %j", (text) => {
    expect(() => readHistory(text)).toThrow(/^is not a list of runs$/);
  });
});

describe("a rotation was delivered", () => {
  const END = at(10) + 999;

  test.each<[string, number | undefined, unknown[]]>([
    ["by the run that made it", END, [entry()]],
    ["by that one, although later ones also reached the stack", END, [entry(60), entry(30), entry()]],
    ["by a later run after one that failed", at(70) + 999, [entry(60), entry(0, { result: "failed" })]],
    [
      "by a later run after one in part",
      at(70) + 999,
      [entry(60), entry(0, environment({ "pulumi.flag.target": "set" }))],
    ],
    ["by no run if only an earlier one was whole", undefined, [entry(0, { result: "failed" }), entry(-60)]],
    [
      "by no run before the one that made it, also if its machine's clock was ahead",
      undefined,
      [entry(0, { result: "failed" }), entry(3_600)],
    ],
    ["by a later run after such a one", at(70) + 999, [entry(60), entry(0, { result: "failed" }), entry(3_600)]],
    ["by no run if none was whole", undefined, [entry(60, { kind: "refresh" }), entry(0, { result: "failed" })]],
    ["by no run without a history", undefined, []],
    ["by no run whose end is not readable", undefined, [entry(0, { endTime: "soon" })]],
  ])("%s", (_, delivered, entries) => {
    expect(deliveredSince(history(...entries), at(5))).toBe(delivered);
  });

  test("by the run that ended in the same second, whose record has whole seconds", () => {
    expect(deliveredSince(history(entry()), at(10))).toBe(END);
    expect(deliveredSince(history(entry()), END)).toBeUndefined();
  });
});

describe("an update that succeeded was under way", () => {
  const before = entry(-600);

  test.each<[string, "yes" | "no" | "unknown", number, unknown[]]>([
    ["during it", "yes", 5, [entry(), before]],
    ["during it, although it was one in part", "yes", 5, [entry(0, environment({ "pulumi.flag.target": "set" }))]],
    ["two seconds before it", "yes", -2, [entry()]],
    ["more than two seconds before it", "no", -2.5, [entry(), before]],
    ["two seconds after it", "yes", 12.999, [entry(), before]],
    ["more than two seconds after its last one", "no", 13.1, [entry(), before]],
    ["during one that failed", "no", 5, [entry(0, { result: "failed" }), before]],
    ["during a destroy", "no", 5, [entry(0, { kind: "destroy" }), before]],
    ["between two", "no", 30, [entry(60), entry()]],
    ["after all, of which none succeeded", "no", 30, [entry(0, { result: "failed" })]],
    ["before all of them, as in a stack with an imported state", "unknown", -30, [entry(60), entry()]],
    [
      "so soon after the first one, which failed, that it may have been before",
      "unknown",
      2,
      [entry(0, { result: "failed" })],
    ],
    ["without any", "unknown", 0, []],
    ["in one without a readable end", "yes", 600, [entry(0, { endTime: "soon" }), before]],
  ])("%s: %s", (_, expected, seconds, entries) => {
    expect(succeededAt(history(...entries), at(seconds))).toBe(expected);
  });
});
