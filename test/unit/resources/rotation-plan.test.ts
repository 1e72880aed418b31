import { expect, test } from "vitest";
import type { Members } from "../../../provider/members";
import type { PlannedRotation } from "../../../provider/resources/rotation/fields";
import { retireReason, rotationDue, rotationReason } from "../../../provider/resources/rotation/plan";
import { readState } from "../../../provider/resources/rotation/state";
import { UNKNOWN } from "../../../provider/schema/fields";

const DAY = 86_400_000;
const NOW = Date.parse("2026-01-31T00:00:00.000Z");
const at = (days: number) => new Date(NOW + days * DAY).toISOString();

/** A key that is a day old. */
const CURRENT = { keyId: "8", name: "ci", key: "secret-8", createdAt: at(-1) };
const PREVIOUS = { previousKeyId: "7", previousName: "ci", previousKey: "secret-7", rotatedAt: at(-1) };
const WAITS = { ...CURRENT, ...PREVIOUS, retireAfter: at(1) };
const IS_TIME = { ...WAITS, retireAfter: at(0) };
const GONE = { createdAt: at(-1) };
const ALL = { age: ["age1x"] };

const inputs = (given: Members) => given as PlannedRotation;

test.each<[string, Members, Members, string | undefined]>([
  ["nothing", CURRENT, {}, undefined],
  ["a key that is gone", GONE, {}, "keyId, urgent, drift"],
  ["a key that could not be created", {}, {}, "keyId, urgent"],
  [
    "a key that cannot become ready",
    { ...CURRENT, pending: [{ action: "x", status: "failed" }] },
    {},
    "pending, urgent",
  ],
  ["no key that is not ready yet", { ...CURRENT, pending: [{ action: "x" }] }, {}, undefined],
  ["revokeNow of the current key", CURRENT, { revokeNow: "8" }, "revokeNow, urgent"],
  ["no revokeNow of another one", CURRENT, { revokeNow: "7" }, undefined],
  ["a seal", CURRENT, { sealTo: ALL }, "sealTo"],
  ["another maxAge", { ...CURRENT, maxAge: "30d" }, { maxAge: "60d" }, "maxAge"],
  ["no maxAge that means the same", { ...CURRENT, maxAge: "30d" }, { maxAge: "720h" }, undefined],
  ["a maxAge that a preview does not know", { ...CURRENT, maxAge: "30d" }, { maxAge: UNKNOWN }, "maxAge"],
  ["a trigger", { ...CURRENT, rotationTriggers: { a: 1 } }, { rotationTriggers: { a: 2 } }, "rotationTriggers"],
  ["the first trigger", CURRENT, { rotationTriggers: { a: 1 } }, "rotationTriggers"],
  ["a first trigger that a preview does not know", CURRENT, { rotationTriggers: UNKNOWN }, "rotationTriggers"],
  [
    "no trigger that is the same",
    { ...CURRENT, rotationTriggers: { a: 1 } },
    { rotationTriggers: { a: 1 } },
    undefined,
  ],
  ["no removal of all triggers", { ...CURRENT, rotationTriggers: { a: 1 } }, {}, undefined],
  ["a trigger of a former run", { ...CURRENT, rotationQueued: true }, {}, "rotationTriggers"],
  ["its age", CURRENT, { rotateAfter: "1d" }, "rotateAfter"],
  ["no age that it has not yet", CURRENT, { rotateAfter: "25h" }, undefined],
])("a rotation is caused by %s", (_, outputs, given, expected) => {
  const reason = rotationReason(readState(outputs), inputs(given), NOW);
  const words = reason && [reason.field, ...(reason.urgent ? ["urgent"] : []), ...(reason.drift ? ["drift"] : [])];
  expect(words?.join(", ")).toBe(expected);
});

test.each([
  ["30d", "60d", "maxAge changes from 30d to 60d,"],
  [undefined, "60d", "maxAge changes from none to 60d,"],
  ["30d", undefined, "maxAge changes from 30d to none,"],
  ["30d", UNKNOWN, "maxAge changes from 30d to another value,"],
])("a rotation because of maxAge says so: %j, %j", (before, after, why) => {
  const state = readState({ ...CURRENT, ...(before && { maxAge: before }) });
  expect(rotationReason(state, inputs(after === undefined ? {} : { maxAge: after }), NOW)?.why).toContain(why);
});

test.each<[string, Members, Members, string | undefined]>([
  ["when it is time", IS_TIME, {}, "retireAfter"],
  ["not before", WAITS, {}, undefined],
  ["not if there is none", CURRENT, {}, undefined],
  ["not without a time", { ...CURRENT, ...PREVIOUS }, {}, undefined],
  ["before it is time, if revokeNow names it", WAITS, { revokeNow: "7" }, "revokeNow"],
  ["not because revokeNow names the current key", WAITS, { revokeNow: "8" }, undefined],
  ["not while the current key is not ready", { ...IS_TIME, pending: [{ action: "x" }] }, { revokeNow: "7" }, undefined],
  ["not while there is no current key", { ...GONE, ...PREVIOUS, retireAfter: at(0) }, { revokeNow: "7" }, undefined],
])("the previous key is asked about %s", (_, outputs, given, field) => {
  const due = retireReason(readState(outputs), inputs(given), NOW);
  expect(due?.field).toBe(field);
  if (due !== undefined) expect(due).toMatchObject({ replace: false, why: expect.stringContaining("key 7 ") });
});

test.each<[string, Members, Members, string[]]>([
  ["nothing", CURRENT, {}, []],
  ["a rotation", CURRENT, { rotateAfter: "1d" }, ["rotateAfter"]],
  ["no rotation while the previous key stays", WAITS, { rotateAfter: "1d" }, []],
  ["an urgent one, all the same", WAITS, { revokeNow: "8" }, ["revokeNow"]],
  ["the previous key, and then the rotation", IS_TIME, { rotateAfter: "1d" }, ["retireAfter", "rotateAfter"]],
  ["the key that is not ready", { ...CURRENT, pending: [{ action: "x" }] }, {}, ["pending"]],
  ["its replacement", { ...CURRENT, pending: [{ action: "x", status: "failed" }] }, {}, ["pending"]],
  ["the successor of a key that is gone", GONE, {}, ["keyId drift"]],
  ["what is to be revoked", { ...CURRENT, pendingRevocations: ["6"] }, {}, ["pendingRevocations"]],
  ["lost requests", { ...CURRENT, lostNames: ["ci-2"], lostAt: at(0) }, {}, ["lostNames"]],
])("an update is due for %s", (_, outputs, given, expected) => {
  const due = rotationDue(readState(outputs), inputs(given), NOW);
  expect(due.map(({ field, drift }) => (drift ? `${field} drift` : field))).toEqual(expected);
  expect(due.filter(({ replace }) => replace)).toEqual([]);
});
