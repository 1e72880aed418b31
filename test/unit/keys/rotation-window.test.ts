import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dueIn, rotationWindow, windowOf } from "../../../provider/keys/rotation-window";
import { MINUTE } from "../../times";

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A window as programs write it, with all of its properties. */
interface Given {
  readonly days: readonly string[];
  readonly startTime: string;
  readonly endTime: string;
  readonly timeZone: string;
}

const OFFICE: Given = {
  days: ["mon", "tue", "wed", "thu"],
  startTime: "09:00",
  endTime: "16:00",
  timeZone: "Europe/Berlin",
};
const EVERY_DAY = { ...OFFICE, days: DAYS };

function due(given: Partial<Given>, from: string): string {
  const window = windowOf(given) ?? expect.fail("the window is valid");
  return new Date(dueIn(window, Date.parse(from))).toISOString().replace(":00.000Z", "Z");
}

describe("the first time in a window", () => {
  test.each<[string, Partial<Given>, string, string]>([
    ["is at once inside", OFFICE, "2026-11-24T09:30Z", "2026-11-24T09:30Z"],
    ["is at once when the window opens", OFFICE, "2026-11-24T08:00Z", "2026-11-24T08:00Z"],
    ["is the same morning before it opens", OFFICE, "2026-11-24T07:59Z", "2026-11-24T08:00Z"],
    ["is the next day when it closes", OFFICE, "2026-11-24T15:00Z", "2026-11-25T08:00Z"],
    ["is Monday on a Friday night", OFFICE, "2026-11-27T20:00Z", "2026-11-30T08:00Z"],
    ["is Monday when it closes on a Thursday", OFFICE, "2026-11-26T15:00Z", "2026-11-30T08:00Z"],
    ["is a week later after a single day", { ...OFFICE, days: ["tue"] }, "2026-11-24T15:00Z", "2026-12-01T08:00Z"],
    ["is any time of a day without times", { days: ["sun"] }, "2026-11-24T09:30Z", "2026-11-29T00:00Z"],
    ["is any day without days", { startTime: "09:00", endTime: "10:00" }, "2026-11-28T10:00Z", "2026-11-29T09:00Z"],
    ["is before midnight without an end", { startTime: "09:00" }, "2026-11-28T23:59Z", "2026-11-28T23:59Z"],
    ["is after midnight without a start", { endTime: "09:00" }, "2026-11-28T09:00Z", "2026-11-29T00:00Z"],
    ["is at once if all days are whole", { days: DAYS }, "2026-11-28T23:59Z", "2026-11-28T23:59Z"],
  ])("%s", (_, given, from, expected) => {
    expect(due(given, from)).toBe(expected);
  });

  test("knows milliseconds: it is inside until the last one", () => {
    const [inside, after] = ["2026-11-24T14:59:59.999Z", "2026-11-24T15:00:00.001Z"];
    expect([due(OFFICE, inside), due(OFFICE, after)]).toEqual([inside, "2026-11-25T08:00Z"]);
  });

  const NIGHT = { days: ["fri"], startTime: "22:00", endTime: "04:00" };
  test.each<[string, Partial<Given>, string, string]>([
    ["begins on its day", NIGHT, "2026-11-27T12:00Z", "2026-11-27T22:00Z"],
    ["goes on after midnight, although that day is not listed", NIGHT, "2026-11-28T03:59Z", "2026-11-28T03:59Z"],
    ["ends in the morning", NIGHT, "2026-11-28T04:00Z", "2026-12-04T22:00Z"],
    ["does not begin on the evening before", NIGHT, "2026-11-27T03:00Z", "2026-11-27T22:00Z"],
    ["may end at midnight", { startTime: "22:00", endTime: "00:00" }, "2026-11-28T00:00Z", "2026-11-28T22:00Z"],
    ["goes on from Sunday to Monday", { ...NIGHT, days: ["sun"] }, "2026-11-30T01:00Z", "2026-11-30T01:00Z"],
  ])("over midnight %s", (_, given, from, expected) => {
    expect(due(given, from)).toBe(expected);
  });

  const at = (startTime: string, endTime: string, timeZone: string, days = DAYS) => ({
    days,
    startTime,
    endTime,
    timeZone,
  });
  test.each<[string, Given, string, string]>([
    ["Berlin in summer", EVERY_DAY, "2026-07-01T00:00Z", "2026-07-01T07:00Z"],
    ["Berlin in winter", EVERY_DAY, "2026-12-01T00:00Z", "2026-12-01T08:00Z"],
    ["Berlin, after the clocks went forward", EVERY_DAY, "2026-03-28T20:00Z", "2026-03-29T07:00Z"],
    ["Berlin, after the clocks went back", EVERY_DAY, "2026-10-24T20:00Z", "2026-10-25T08:00Z"],
    // 02:00 to 03:00 does not exist on 2026-03-29.
    [
      "Berlin, in the hour that is skipped",
      at("02:15", "02:45", "Europe/Berlin"),
      "2026-03-28T20:00Z",
      "2026-03-30T00:15Z",
    ],
    [
      "Berlin, opening in the skipped hour",
      at("02:15", "04:00", "Europe/Berlin"),
      "2026-03-28T20:00Z",
      "2026-03-29T01:00Z",
    ],
    [
      "Berlin, closing in the skipped hour",
      at("01:30", "02:30", "Europe/Berlin"),
      "2026-03-29T00:59Z",
      "2026-03-29T00:59Z",
    ],
    [
      "Berlin, closed by the skipped hour",
      at("01:30", "02:30", "Europe/Berlin"),
      "2026-03-29T01:00Z",
      "2026-03-29T23:30Z",
    ],
    [
      "Berlin, a week later for a single day",
      at("02:15", "02:45", "Europe/Berlin", ["sun"]),
      "2026-03-22T01:45Z",
      "2026-04-05T00:15Z",
    ],
    // 02:00 to 03:00 exists twice on 2026-10-25.
    ["Berlin, the first of two", at("02:15", "02:45", "Europe/Berlin"), "2026-10-24T20:00Z", "2026-10-25T00:15Z"],
    ["Berlin, the second of two", at("02:15", "02:45", "Europe/Berlin"), "2026-10-25T00:45Z", "2026-10-25T01:15Z"],
    ["Berlin, after both", at("02:15", "02:45", "Europe/Berlin"), "2026-10-25T01:45Z", "2026-10-26T01:15Z"],
    ["Berlin, open again", at("01:00", "02:30", "Europe/Berlin"), "2026-10-25T00:30Z", "2026-10-25T01:00Z"],
    ["New York in winter", at("09:00", "16:00", "America/New_York"), "2026-03-07T22:00Z", "2026-03-08T13:00Z"],
    ["New York, skipped", at("02:00", "03:00", "America/New_York"), "2026-03-08T00:00Z", "2026-03-09T06:00Z"],
    ["New York, the second of two", at("01:15", "01:45", "America/New_York"), "2026-11-01T05:45Z", "2026-11-01T06:15Z"],
    [
      "New York, on the day before in UTC",
      at("20:00", "22:00", "America/New_York", ["mon"]),
      "2026-11-24T00:00Z",
      "2026-11-24T01:00Z",
    ],
    // The clocks of Lord Howe change by half an hour, at 02:00 of daylight saving time.
    ["Lord Howe in summer", at("09:00", "10:00", "Australia/Lord_Howe"), "2026-01-10T00:00Z", "2026-01-10T22:00Z"],
    ["Lord Howe in winter", at("09:00", "10:00", "Australia/Lord_Howe"), "2026-06-10T00:00Z", "2026-06-10T22:30Z"],
    ["Lord Howe, skipped", at("02:00", "02:30", "Australia/Lord_Howe"), "2026-10-03T00:00Z", "2026-10-04T15:00Z"],
    [
      "Lord Howe, the second of two",
      at("01:30", "02:00", "Australia/Lord_Howe"),
      "2026-04-04T15:00Z",
      "2026-04-04T15:00Z",
    ],
    ["Kathmandu, 5:45 ahead", at("09:00", "10:00", "Asia/Kathmandu"), "2026-06-10T00:00Z", "2026-06-10T03:15Z"],
    [
      "Kathmandu, tomorrow in UTC",
      at("00:00", "00:30", "Asia/Kathmandu", ["wed"]),
      "2026-06-09T12:00Z",
      "2026-06-09T18:15Z",
    ],
    // Samoa skipped 2011-12-30, a Friday.
    [
      "Apia, the day that was skipped",
      at("09:00", "10:00", "Pacific/Apia", ["fri"]),
      "2011-12-29T00:00Z",
      "2012-01-05T19:00Z",
    ],
  ])("follows the clocks of a time zone: %s", (_, given, from, expected) => {
    expect(due(given, from)).toBe(expected);
  });
});

/** The day and the minute of the day that the clocks of a time zone show. */
function clockOf(timeZone: string): (time: number) => { day: string; minute: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const { weekday = "", hour, minute } = parts;
    return { day: weekday.toLowerCase(), minute: Number(hour) * 60 + Number(minute) };
  };
}

const minuteOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** Whether a window is open by the clocks, as their definition says and without any arithmetic of offsets. */
function isInside({ days, startTime, endTime, timeZone }: Given): (time: number) => boolean {
  const clock = clockOf(timeZone);
  const [start, end] = [minuteOf(startTime), minuteOf(endTime)];
  return (time) => {
    const { day, minute } = clock(time);
    const before = DAYS[(DAYS.indexOf(day) + 6) % 7] ?? "";
    if (start < end) return days.includes(day) && start <= minute && minute < end;
    return (days.includes(day) && start <= minute) || (days.includes(before) && minute < end);
  };
}

const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "America/St_Johns"];

/** Near these times, the clocks of one of the zones change. */
const CHANGES = [
  "2026-03-29T01:00Z",
  "2026-10-25T01:00Z",
  "2027-03-14T07:00Z",
  "2026-11-01T06:00Z",
  "2027-04-03T15:00Z",
];

function windows(step: number): fc.Arbitrary<Given> {
  const time = fc.integer({ min: 0, max: 1440 / step - 1 }).map((steps) => {
    const minute = steps * step;
    return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  });
  return fc
    .record({
      days: fc.subarray(DAYS, { minLength: 1 }),
      startTime: time,
      endTime: time,
      timeZone: fc.constantFrom(...ZONES),
    })
    .filter(({ startTime, endTime }) => startTime !== endTime);
}

function times(step: number): fc.Arbitrary<number> {
  const [first, days] = [Date.parse("2026-01-01T00:00Z"), 700];
  return fc.oneof(
    fc.integer({ min: 0, max: (days * 1440) / step }).map((steps) => first + steps * step * MINUTE),
    fc
      .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: (-8 * 1440) / step, max: 1440 / step }))
      .map(([change, steps]) => Date.parse(change) + steps * step * MINUTE),
  );
}

/** All zones are whole quarters of an hour away from UTC, so a coarse grid misses nothing that begins on a quarter. */
test.each([
  [15, 300],
  [1, 25],
])("is inside, not before, and no earlier moment on a grid of %d min is inside", (step, numRuns) => {
  fc.assert(
    fc.property(windows(step), times(step), (given, from) => {
      const found = dueIn(windowOf(given) ?? expect.fail("the window is valid"), from);
      const inside = isInside(given);
      expect(found).toBeGreaterThanOrEqual(from);
      expect(found - from).toBeLessThanOrEqual(15 * 24 * 60 * MINUTE);
      expect(inside(found)).toBe(true);
      for (let time = from; time < found; time += step * MINUTE) {
        if (inside(time))
          expect.fail(`${new Date(time).toISOString()} is earlier than ${new Date(found).toISOString()}`);
      }
    }),
    { numRuns },
  );
});

describe("a window", () => {
  test.each<[unknown, RegExp]>([
    ["mon-thu", /^must be a window, such as \{ days: /],
    [["mon"], /^must be a window/],
    [{}, /^must limit the days or the time of day\. Set days, or startTime and endTime/],
    [{ timeZone: "Europe/Berlin" }, /^must limit/],
    [{ day: "mon" }, /^has a property that is not one of days, startTime, endTime, timeZone/],
    [{ days: [] }, /^has invalid days: .* at least one of "mon", /],
    [{ days: "mon" }, /^has invalid days: /],
    [{ days: ["mon", "Friday"] }, /^has an unknown day at days\[1\]: .* Did you mean "fri"\?$/],
    [{ days: ["Mon"] }, /Did you mean "mon"\?$/],
    [{ days: ["tuseday"] }, /Did you mean "tue"\?$/],
    [{ days: ["Wensday"] }, /Did you mean "wed"\?$/],
    [{ days: ["thrusday"] }, /Did you mean "thu"\?$/],
    [{ days: ["fir"] }, /Did you mean "fri"\?$/],
    [{ days: ["saterday"] }, /Did you mean "sat"\?$/],
    [{ days: ["xyz"] }, /"sun"$/],
    [{ days: [1] }, /"sun"$/],
    [{ startTime: "9:00" }, /^has an invalid startTime: .* "09:00"$/],
    [{ startTime: "24:00" }, /^has an invalid startTime/],
    [{ startTime: "09:60" }, /^has an invalid startTime/],
    [{ startTime: 9 }, /^has an invalid startTime/],
    [{ startTime: "09:00", endTime: "4pm" }, /^has an invalid endTime: /],
    [{ startTime: "09:00", endTime: "24:01" }, /^has an invalid endTime: /],
    [{ startTime: "09:00", endTime: "09:00" }, /^has the same startTime and endTime\. .* "00:00" and "24:00"$/],
    [{ days: ["mon"], timeZone: "Berlin" }, /^has an unknown timeZone: .* IANA name, such as "Europe\/Berlin"/],
    [{ days: ["mon"], timeZone: "+02:00" }, /^has an unknown timeZone/],
    [{ days: ["mon"], timeZone: "" }, /^has an unknown timeZone/],
    [{ days: ["mon"], timeZone: 1 }, /^has an unknown timeZone/],
  ])("is refused with the remedy: %j", (given, problem) => {
    expect(rotationWindow(given)).toMatch(problem);
    expect(windowOf(given)).toBeUndefined();
  });

  test("ignores properties without a value", () => {
    expect(rotationWindow({ ...OFFICE, timeZone: undefined, startTime: null })).toBeUndefined();
    const window = windowOf({ days: ["mon"], timeZone: undefined }) ?? expect.fail("the window is valid");
    expect(dueIn(window, Date.parse("2026-11-24T00:00Z"))).toBe(Date.parse("2026-11-30T00:00Z"));
  });

  test("repeats no value in a refusal, because the value can be a secret", () => {
    fc.assert(
      fc.property(fc.constantFrom("days", "startTime", "endTime", "timeZone"), fc.boolean(), (name, isList) => {
        const secret = "hushhush";
        const { [name]: _, ...others } = { ...OFFICE } as Record<string, unknown>;
        const problem = rotationWindow({ ...others, [name]: isList ? [secret] : secret });
        expect(problem).toEqual(expect.any(String));
        expect(problem).not.toContain(secret);
      }),
    );
  });
});
