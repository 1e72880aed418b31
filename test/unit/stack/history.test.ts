import { describe, expect, test } from "vitest";
import { deliveryOf, markOf, type Run, type RunPage, RunPages, readHistory } from "../../../provider/stack/history";

const BEGAN = "2026-01-01T00:00:00.000Z";
const ENDED = "2026-01-01T00:00:10.000Z";
const at = (seconds: number) => Date.parse(BEGAN) + 1_000 * seconds;

/** A complete run of ten seconds, some seconds later. */
const entry = (later = 0, fields: object = {}) => ({
  kind: "update",
  result: "succeeded",
  startTime: new Date(at(later)).toISOString(),
  endTime: new Date(at(later + 10)).toISOString(),
  environment: { "pulumi.version": "v3.260.0" },
  ...fields,
});
const environment = (more: object) => ({ environment: { "pulumi.version": "v3.260.0", ...more } });
const DELIVERED = { mayHaveSucceeded: true, mayHaveDelivered: true };
const history = (...entries: unknown[]) => readHistory(JSON.stringify(entries));

const [two, timeless] = [history(entry(20), entry(10)), history({ result: "failed" }, { result: "failed" })];
const last = (page: number, runs: readonly Run[]): RunPage =>
  page === 1 ? { runs: two, isLast: false } : { runs, isLast: true };

describe("the history of a stack", () => {
  test("has a complete run, which ended before the second after the recorded one", () => {
    expect(history(entry())).toEqual([
      { ...DELIVERED, isComplete: true, onlyUpdates: true, version: 0, began: at(0), ended: at(10) + 999 },
    ]);
    const [exact] = history(entry(0, { endTime: "2026-01-01T00:00:10.250Z" }));
    expect(exact?.ended).toBe(Date.parse(ENDED) + 250);
  });

  test.each<[string, object]>([
    ["a run that failed", { result: "failed" }],
    ["a run in progress", { result: "in-progress" }],
    ["a preview", { kind: "preview" }],
    ["a refresh", { kind: "refresh" }],
    ["a destroy", { kind: "destroy" }],
    ["an import of a state", { kind: "import" }],
    ["a run with --target", environment({ "pulumi.flag.target": "true" })],
    ["a run with --target-replace", environment({ "pulumi.flag.target-replace": "true" })],
    ["a run with --exclude", environment({ "pulumi.flag.exclude": "true" })],
    ["a run with PULUMI_OPTION_TARGET", environment({ "pulumi.env.PULUMI_OPTION_TARGET": "true" })],
    ["a run with PULUMI_OPTION_TARGET_REPLACE", environment({ "pulumi.env.PULUMI_OPTION_TARGET_REPLACE": "true" })],
    ["a run of a CLI that records no flags", { environment: {} }],
    ["a run without an environment", { environment: undefined }],
  ])("does not count %s as complete", (_, fields) => {
    expect(history(entry(0, fields))).toMatchObject([{ isComplete: false }]);
  });

  test("tells nothing of the runs before those that were read", async () => {
    const failed = history(entry(40, { result: "failed" }), entry(20, { result: "failed" }));
    const before = { ...DELIVERED, isComplete: false, onlyUpdates: false, version: 0, began: -Infinity, ended: at(20) };
    const pages = new RunPages(async () => ({ runs: failed, isLast: false }));
    expect(await pages.until(at(30))).toEqual([...failed, before]);
  });

  test.each<[string, (page: number) => Promise<RunPage | undefined>, number, boolean]>([
    ["a later page cannot be read", async (page) => (page === 1 ? { runs: two, isLast: false } : undefined), 2, false],
    ["a page repeats itself", async () => ({ runs: two, isLast: false }), 2, false],
    ["no run has a readable time", async () => ({ runs: timeless, isLast: false }), 1, false],
    ["the last page has no readable time", async (page) => last(page, timeless), 2, false],
    ["the last page is empty", async (page) => last(page, []), 2, true],
  ])("is read no further, and keeps what was read, if %s", async (_, read, pages, isWhole) => {
    const asked: number[] = [];
    const all = new RunPages((page) => {
      asked.push(page);
      return read(page);
    });
    const [runs = []] = await Promise.all([all.until(0), all.until(0)]);
    expect(asked).toHaveLength(pages);
    expect(runs.some(({ began }) => began === Number.NEGATIVE_INFINITY)).toBe(!isWhole);
    expect(runs).toHaveLength(2 + Number(!isWhole));
  });

  test.each([
    ["an update that succeeded", {}, true, true],
    ["an update that failed", { result: "failed" }, false, false],
    [
      "a destroy that failed, because it may have deleted the ledger",
      { kind: "destroy", result: "failed" },
      false,
      true,
    ],
    ["a destroy, which requests no key", { kind: "destroy" }, false, true],
    ["a preview", { kind: "preview" }, false, false],
  ])("shows if keys were made, or delivered without a record: %s", (_, fields, mayHaveSucceeded, mayHaveDelivered) => {
    expect(history(entry(0, fields))).toMatchObject([{ mayHaveSucceeded, mayHaveDelivered }]);
  });

  test.each([
    ["an update that failed", { result: "failed" }, true],
    ["an update with a target", environment({ "pulumi.flag.target": "set" }), true],
    ["an update with --refresh", environment({ "pulumi.flag.refresh": "set" }), false],
    ["an update with PULUMI_OPTION_REFRESH", environment({ "pulumi.env.PULUMI_OPTION_REFRESH": "set" }), false],
    ["an update by a CLI that records no flags", { environment: {} }, false],
    ["a refresh", { kind: "refresh" }, false],
  ])("shows that only updates changed resources: %s", (_, fields, onlyUpdates) => {
    expect(history(entry(0, fields))).toMatchObject([{ onlyUpdates }]);
  });

  test("has entries that cannot be read, which prove nothing", () => {
    expect(history(7, null, "x", {}).map(({ isComplete }) => isComplete)).toEqual([false, false, false, false]);
  });

  test.each(["", "{}", "no JSON", '"text"'])("is not readable from %j, and the error does not quote it", (text) => {
    expect(() => readHistory(text)).toThrow(/^`pulumi stack history` answered without a list$/);
  });
});

/** A mark that the history shows five seconds after the begin of the first run. */
const markAfter = (...entries: unknown[]) => markOf(history(...entries), at(5));

/** The end of a run that began at 0, which the record has in whole seconds. */
const END = at(10) + 999;

describe("a change of a resource was delivered", () => {
  test.each<[string, number | "later" | undefined, unknown[]]>([
    ["by the complete run that made it, when it ended", END, [entry()]],
    ["by it, although a later run failed", END, [entry(60, { result: "failed" }), entry()]],
    ["later by a complete run after the one that failed", "later", [entry(60), entry(0, { result: "failed" })]],
    [
      "later by a complete run after the limited one",
      "later",
      [entry(60), entry(0, environment({ "pulumi.flag.target": "t" }))],
    ],
    ["by no run if only an earlier one was complete", undefined, [entry(0, { result: "failed" }), entry(-60)]],
    ["by no run if none was complete", undefined, [entry(60, { kind: "refresh" }), entry(0, { result: "failed" })]],
    ["by no run without a history", undefined, []],
    ["by no run whose end is not readable", undefined, [entry(0, { endTime: "soon" })]],
    ["later by a run whose begin is not readable", "later", [entry(0, { startTime: "soon" })]],
  ])("%s", (_, delivery, entries) => {
    expect(deliveryOf(history(...entries), markAfter(entry(-60), entry(-120)))).toBe(delivery);
  });

  test("by its run also in the first and the last moment of it, and later beside it", () => {
    const runs = history(entry());
    const deliveryAt = (now: number) => deliveryOf(runs, markOf([], now));
    expect([at(0), at(10) + 999].map(deliveryAt)).toEqual([END, END]);
    expect([at(0) - 1, at(11)].map(deliveryAt)).toEqual(["later", "later"]);
  });

  test("by no run that the history had when the change was made, although it ended in the same second or later", () => {
    const mark = markOf(history(entry()), at(10));
    expect(deliveryOf(history(entry()), mark)).toBeUndefined();
    expect(deliveryOf(history(entry(10, { result: "failed" }), entry()), mark)).toBeUndefined();
    expect(deliveryOf(history(entry()), markOf(history(entry()), at(5)))).toBeUndefined();
  });

  test("by a run that ended in the same second as the last one before the change", () => {
    const mark = markOf(history(entry()), at(10));
    expect(deliveryOf(history(entry(), entry()), mark)).toBe(END);
  });

  test("by a complete run, whatever the clock of a failed one showed", () => {
    const mark = markAfter(entry(3_600, { result: "failed" }), entry(-60));
    expect(deliveryOf(history(entry(60), entry(3_600, { result: "failed" }), entry(-60)), mark)).toBe("later");
  });

  test("by no run of a machine whose clock is behind the last run before the change", () => {
    expect(deliveryOf(history(entry(-3_600), entry(-60)), markAfter(entry(-60)))).toBeUndefined();
  });
});

describe("a change of a resource was delivered, by the numbers of a service", () => {
  /** A complete run of a service, whose clock is a minute ahead of the machine's. */
  const run = (version: number, fields: object = {}) => entry(60 * version, { version, ...fields });
  const NOW = at(60 * 7 - 50);
  const mark = markOf(history(run(6), run(5)), NOW);
  const endOf = (version: number) => at(60 * version + 10) + 999;

  test.each<[string, number | "later" | undefined, unknown[]]>([
    ["by the next run, whatever the two clocks show", endOf(7), [run(8), run(7), run(6), run(5)]],
    ["later if the next run failed", "later", [run(8), run(7, { result: "failed" }), run(6)]],
    ["later if the next run was killed", "later", [run(8), run(7, { result: "in-progress" }), run(6)]],
    ["later if the next run is missing", "later", [run(8), run(6)]],
    ["by no run if the next one was a refresh", undefined, [run(7, { kind: "refresh" }), run(6)]],
    ["later if the stack has moved to another service since, which has other numbers", "later", [run(8), run(7)]],
    ["later if another run has the number now", "later", [run(7), run(6, { startTime: ENDED })]],
  ])("%s", (_, delivery, entries) => {
    expect(deliveryOf(history(...entries), mark)).toBe(delivery);
  });

  test("by the run that the history showed in progress", () => {
    const during = markOf(history(run(7, { result: "in-progress", endTime: undefined }), run(6), run(5)), NOW);
    expect(deliveryOf(history(run(7), run(6), run(5)), during)).toBe(endOf(7));
  });

  test("later by the numbers, although the times of another run fit", () => {
    const failed = run(7, { result: "failed" });
    const during = markOf(history(run(6)), at(60 * 8 + 5));
    expect(deliveryOf(history(run(8), failed, run(6)), during)).toBe("later");
  });
});
