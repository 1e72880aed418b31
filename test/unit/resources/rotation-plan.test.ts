import { expect, test } from "vitest";
import type { Members } from "../../../provider/members";
import type { PlannedRotation } from "../../../provider/resources/rotation/fields";
import {
  type Action,
  actionsOf,
  after,
  dueActions,
  type Facts,
  type ListedPrevious,
  NOTHING_DONE,
  nextAction,
} from "../../../provider/resources/rotation/plan";
import { readState } from "../../../provider/resources/rotation/rotation-state";
import { UNKNOWN } from "../../../provider/schema/fields";
import { DAY } from "../../times";

const NOW = Date.parse("2026-01-31T00:00:00.000Z");
const at = (days: number) => new Date(NOW + days * DAY).toISOString();

/** A key that is a day old. */
const CURRENT = { keyId: "8", name: "ci", key: "secret-8", createdAt: at(-1) };
const PREVIOUS = { previousKeyId: "7", previousName: "ci", previousKey: "secret-7", rotatedAt: at(-1) };
const WAITS = { ...CURRENT, ...PREVIOUS, retireAfter: at(1) };
const IS_TIME = { ...WAITS, retireAfter: at(0) };
const GONE = { createdAt: at(-1) };
const SLOW = [{ action: "x" }];
const BROKEN = [{ action: "x", status: "failed" }];
const ALL = { age: ["age1x"] };
const LATE = { rotateAfter: "1d" };
/** Open on Mondays. Now is a Saturday. */
const CLOSED = { rotateAfter: "1d", rotationWindow: { days: ["mon"] } };

/** What a run knows that has asked about the previous key. */
const asked = (previous: Partial<ListedPrevious> = {}, ...done: Action["do"][]): Facts => ({
  done: ["ask", ...done],
  previous: {
    deliveredAt: NOW - DAY,
    lastUsed: "never",
    isSuccessorUsed: true,
    skewMs: 0,
    record: "unknown",
    why: "",
    ...previous,
  },
});
const IN_USE = { lastUsed: NOW - 1 };

const inputs = (given: Members) => given as PlannedRotation;

/** What is to be done now, in order: what, and because of which field. */
function dueNow(outputs: Members, given: Members, facts: Facts = NOTHING_DONE): string[] {
  const due = actionsOf(readState(outputs), inputs(given), facts, NOW).filter(({ isDue }) => isDue);
  return due.map((action) => {
    const urgent = action.do === "rotate" && action.rotation.urgent ? ", urgent" : "";
    return `${action.do}: ${action.field}${urgent}${action.drift ? ", drift" : ""}`;
  });
}

test.each<[string, Members, Members, readonly string[], Facts?]>([
  // A rotation.
  ["nothing", CURRENT, {}, []],
  ["create a key in place of one that is gone", GONE, {}, ["rotate: keyId, urgent, drift"]],
  ["create a key that could not be created", {}, {}, ["rotate: keyId, urgent"]],
  ["replace a key that cannot become ready", { ...CURRENT, pending: BROKEN }, {}, ["rotate: pending, urgent"]],
  ["rotate a key that revokeNow names", CURRENT, { revokeNow: "8" }, ["rotate: revokeNow, urgent"]],
  ["nothing if revokeNow names another one", CURRENT, { revokeNow: "7" }, []],
  ["rotate to a sealed key", CURRENT, { sealTo: ALL }, ["rotate: sealTo"]],
  ["rotate for another maxAge", { ...CURRENT, maxAge: "30d" }, { maxAge: "60d" }, ["rotate: maxAge"]],
  ["nothing for a maxAge that means the same", { ...CURRENT, maxAge: "30d" }, { maxAge: "720h" }, []],
  ["rotate for a maxAge that is not known yet", { ...CURRENT, maxAge: "30d" }, { maxAge: UNKNOWN }, ["rotate: maxAge"]],
  [
    "rotate for a trigger",
    { ...CURRENT, rotationTriggers: { a: 1 } },
    { rotationTriggers: { a: 2 } },
    ["rotate: rotationTriggers"],
  ],
  ["rotate for the first trigger", CURRENT, { rotationTriggers: { a: 1 } }, ["rotate: rotationTriggers"]],
  ["rotate for one that is not known yet", CURRENT, { rotationTriggers: UNKNOWN }, ["rotate: rotationTriggers"]],
  ["nothing for the same trigger", { ...CURRENT, rotationTriggers: { a: 1 } }, { rotationTriggers: { a: 1 } }, []],
  ["nothing for the removal of all triggers", { ...CURRENT, rotationTriggers: { a: 1 } }, {}, []],
  ["rotate for a trigger of a former run", { ...CURRENT, rotationQueued: true }, {}, ["rotate: rotationTriggers"]],
  ["rotate for its age", CURRENT, LATE, ["rotate: rotateAfter"]],
  ["rotate for an age that it has in an hour", CURRENT, { rotateAfter: "25h" }, ["rotate: rotateAfter"]],
  ["nothing for an age that it has later", CURRENT, { rotateAfter: "90001s" }, []],
  [
    "rotate for an age that it has in a twentieth of it",
    { ...CURRENT, createdAt: at(-1 / 24) },
    { rotateAfter: "63m" },
    ["rotate: rotateAfter"],
  ],
  ["nothing for a short age that it has later", { ...CURRENT, createdAt: at(-1 / 24) }, { rotateAfter: "64m" }, []],
  ["nothing while the window is closed", CURRENT, CLOSED, []],
  ["rotate once in a run, however old the new key seems to be", CURRENT, LATE, [], { done: ["rotate"] }],

  // What former runs have left.
  ["wait for a key that is not ready", { ...CURRENT, pending: SLOW }, {}, ["wait: pending"]],
  ["wait, and then rotate", { ...CURRENT, pending: SLOW }, LATE, ["wait: pending", "rotate: rotateAfter"]],
  [
    "not wait for a key that is to be revoked",
    { ...CURRENT, pending: SLOW },
    { revokeNow: "8" },
    ["rotate: revokeNow, urgent"],
  ],
  ["look for lost requests", { ...CURRENT, lostNames: ["ci-2"], lostAt: at(0) }, {}, ["findLost: lostNames"]],
  ["not look twice", { ...CURRENT, lostNames: ["ci-2"], lostAt: at(0) }, {}, [], { done: ["findLost"] }],
  ["revoke what is pending", { ...CURRENT, pendingRevocations: ["6"] }, {}, ["revoke: pendingRevocations"]],
  [
    "revoke nothing before a key is ready",
    { ...CURRENT, pending: SLOW, pendingRevocations: ["6"] },
    {},
    ["wait: pending"],
  ],
  [
    "revoke nothing before there is a key",
    { ...GONE, pendingRevocations: ["6"] },
    {},
    ["rotate: keyId, urgent, drift"],
  ],
  ["not try a revocation twice", { ...CURRENT, pendingRevocations: ["6"] }, {}, [], { done: ["revoke"] }],
  [
    "all of that, in this order",
    { ...IS_TIME, lostNames: ["ci-2"], pendingRevocations: ["6"] },
    LATE,
    ["findLost: lostNames", "revoke: pendingRevocations", "ask: retireAfter", "rotate: rotateAfter"],
  ],

  // The previous key.
  ["ask about the previous key when it is time", IS_TIME, {}, ["ask: retireAfter"]],
  ["not ask before", WAITS, {}, []],
  ["not ask without a time", { ...CURRENT, ...PREVIOUS }, {}, []],
  ["ask before, if revokeNow names it", WAITS, { revokeNow: "7" }, ["ask: revokeNow"]],
  ["not ask because revokeNow names the current key", WAITS, { revokeNow: "8" }, ["rotate: revokeNow, urgent"]],
  ["not ask while the current key is not ready", { ...IS_TIME, pending: SLOW }, { revokeNow: "7" }, ["wait: pending"]],
  [
    "not ask while there is no current key",
    { ...GONE, ...PREVIOUS, retireAfter: at(0) },
    { revokeNow: "7" },
    ["rotate: keyId, urgent, drift"],
  ],
  ["not ask after the rotation", IS_TIME, {}, [], { done: ["rotate"] }],
  [
    "ask after the rotation, if revokeNow names it",
    IS_TIME,
    { revokeNow: "7" },
    ["ask: revokeNow"],
    { done: ["rotate"] },
  ],
  [
    "forget it if it is gone, and rotate",
    IS_TIME,
    LATE,
    ["forget: retireAfter", "rotate: rotateAfter"],
    { done: ["ask"], previous: "gone" },
  ],
  ["retire it, and rotate", IS_TIME, LATE, ["retire: retireAfter", "rotate: rotateAfter"], asked()],
  ["retire it at once, if revokeNow names it", IS_TIME, { revokeNow: "7" }, ["retire: revokeNow"], asked(IN_USE)],
  ["not try that twice", IS_TIME, { revokeNow: "7" }, [], asked(IN_USE, "retire")],
  ["keep it while it is in use", IS_TIME, {}, ["keep: retireAfter"], asked(IN_USE)],
  ["keep it by the earlier clock", IS_TIME, {}, ["keep: retireAfter"], asked({ skewMs: -2 * DAY })],
  ["retire it by the earlier clock", IS_TIME, {}, ["retire: retireAfter"], asked({ skewMs: 2 * DAY })],
  ["keep keyplane's own key", IS_TIME, LATE, [], { done: ["ask"] }],
  ["rotate nothing while the previous key stays", WAITS, LATE, []],
  ["rotate nothing beside a key that is kept", IS_TIME, LATE, [], asked(IN_USE, "keep")],
  ["rotate nothing beside a key that could not be revoked", IS_TIME, LATE, [], asked({}, "retire")],
  ["rotate at once what is urgent", IS_TIME, { revokeNow: "8" }, ["rotate: revokeNow, urgent"], asked(IN_USE, "keep")],
])("a run is to %s", (_, outputs, given, expected, facts) => {
  expect(dueNow(outputs, given, facts)).toEqual(expected);
});

test("only what had to wait for a new key is done again after a rotation", () => {
  const [wait] = actionsOf(readState({ ...CURRENT, pending: SLOW }), {}, NOTHING_DONE, NOW);
  const [rotate] = actionsOf(readState({}), {}, NOTHING_DONE, NOW);
  expect(wait && after(wait, asked())).toEqual({ ...asked(), done: ["ask", "wait"] });
  expect(rotate && after(rotate, asked({}, "revoke", "retire"))).toEqual({ done: ["findLost", "rotate"] });
});

test("a preview shows what an update has to do, and never a replacement", () => {
  const due = dueActions(readState(IS_TIME), inputs(LATE), NOW);
  expect(due).toEqual([
    { field: "retireAfter", replace: false, why: `key 7 may be revoked since ${at(0)}` },
    { field: "rotateAfter", replace: false, why: expect.stringContaining("24h old"), drift: false },
  ]);
});

test.each([
  ["30d", "60d", "maxAge changes from 30d to 60d,"],
  [undefined, "60d", "maxAge changes from none to 60d,"],
  ["30d", undefined, "maxAge changes from 30d to none,"],
  ["30d", UNKNOWN, "maxAge changes from 30d to another value,"],
])("a rotation because of maxAge says so: %j, %j", (before, after, why) => {
  const state = readState({ ...CURRENT, ...(before && { maxAge: before }) });
  const [due] = dueActions(state, inputs(after === undefined ? {} : { maxAge: after }), NOW);
  expect(due?.why).toContain(why);
});

test.each<[string, Members, string]>([
  ["nothing", CURRENT, "rotate when a trigger changes"],
  ["no key", { pendingRevocations: ["6"] }, "create a new key; revoke key 6"],
  ["its age", { ...CURRENT, rotateAfter: "30d" }, `rotate after ${at(29)}`],
  ["its age, also when that is over", { ...CURRENT, ...LATE }, `rotate after ${at(0)}`],
  ["a window", { ...CURRENT, ...CLOSED }, "rotate after 2026-02-02T00:00:00.000Z, inside rotationWindow"],
  ["a wait", { ...CURRENT, ...LATE, pending: SLOW }, `wait until key 8 is ready; rotate after ${at(0)}`],
  ["a key that cannot become ready", { ...CURRENT, ...LATE, pending: BROKEN }, "rotate"],
  [
    "a trigger that waits",
    { ...WAITS, rotationQueued: true },
    `rotate as soon as key 7 is revoked; revoke key 7 after ${at(1)}, unless it is in use`,
  ],
  ["other recipients", { ...CURRENT, sealTo: ALL }, "rotate"],
  [
    "requireUse",
    { ...WAITS, requireUse: true },
    `revoke key 7 after ${at(1)}, unless it is in use, or key 8 was never used`,
  ],
])("nextAction names %s", (_, outputs, expected) => {
  expect(nextAction(readState(outputs))).toBe(expected);
});
