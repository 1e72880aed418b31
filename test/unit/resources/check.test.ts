import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { check } from "../../../provider/schema/check";
import { UNKNOWN } from "../../../provider/schema/field-types";
import { type Context, RunNotes } from "../../../provider/schema/resource-type";
import { StackHarness } from "./harness";

const context = { run: new RunNotes() } as Context;
const base = { owner: "3b241101-e2bb-4255-8caf-4136c566a962", resourceUrn: "urn:pulumi:dev::proj::t::ci" };
const failuresOf = (inputs: Record<string, unknown>, kind: keyof typeof resourceTypes = "ApiKey") =>
  check(resourceTypes[kind], { ...base, ...inputs }, context).failures;

describe("the inputs of an ApiKey", () => {
  it.each([
    {},
    { name: "deploy key (prod)" },
    { namePrefix: "ci-main" },
    { rotationTriggers: { quarter: "2026Q4", nested: { a: [1, null] } }, rotateAfter: "90d" },
    {
      rotateAfter: "90d",
      rotationWindow: { days: ["fri"], startTime: "22:00", endTime: "04:00", timeZone: "Asia/Kathmandu" },
    },
    { waitForProjects: ["my-project-1"], verify: true, operationTimeout: "5m", revokeOnDelete: false },
    { name: "exact", onNameConflict: "revokeUnused" },
  ])("can be %j", (inputs) => {
    expect(failuresOf(inputs)).toEqual([]);
  });

  it.each([
    [{ name: "" }, "name", /non-empty/],
    [{ name: " padded" }, "name", /space/],
    [{ name: "a\u0007b" }, "name", /control/],
    [{ name: "a\u202eb" }, "name", /invisible/],
    [{ name: "x".repeat(65) }, "name", /64/],
    [{ name: 7 }, "name", /string/],
    [{ namePrefix: "Upper" }, "namePrefix", /a-z/],
    [{ namePrefix: "x".repeat(47) }, "namePrefix", /46/],
    [{ namePrefix: "end-" }, "namePrefix", /end/],
    [{ namePrefix: "" }, "namePrefix", /must be 1 to 46 characters/],
    [{ rotateAfter: "3 months" }, "rotateAfter", /90d/],
    [
      { rotationWindow: { days: ["mon"] } },
      "rotationWindow",
      /requires rotateAfter or maxAge.*Set one of them, or remove/,
    ],
    [{ rotationWindow: { days: ["Friday"] }, rotateAfter: "90d" }, "rotationWindow", /days\[0\].*Did you mean "fri"/],
    [{ operationTimeout: "5w" }, "operationTimeout", /24 days/],
    [{ rotationTriggers: ["q"] }, "rotationTriggers", /map/],
    [{ waitForProjects: ["a/../b"] }, "waitForProjects", /\[0\]/],
    [{ waitForProjects: "p" }, "waitForProjects", /list/],
    [{ verify: "yes" }, "verify", /true or false/],
    [{ revokeOnDelete: 0 }, "revokeOnDelete", /true or false/],
    [{ onNameConflict: "steal", name: "n" }, "onNameConflict", /"fail" or "revokeUnused"/],
    [{ onNameConflict: "fail" }, "onNameConflict", /requires name/],
    [{ name: "n", namePrefix: "p" }, "namePrefix", /combined with name/],
    [{ name: "n", waitForProjects: ["p"] }, "waitForProjects", /cannot be combined with name/],
    [{ nmae: "typo" }, "nmae", /is not an input of ApiKey\. Its inputs are (?=.*namePrefix)(?!.*\badopt\b)/],
    [{ owner: undefined }, "owner", /required/],
  ])("C1: %j are refused with the property and the remedy", (inputs, property, reason) => {
    const failures = failuresOf(inputs);
    expect(failures.map((failure) => failure.property)).toEqual([property]);
    expect(failures[0]?.reason).toMatch(reason);
  });

  it("C1: pass if a preview does not know them yet", () => {
    const unknowns = { name: UNKNOWN, rotationTriggers: { a: UNKNOWN }, rotateAfter: UNKNOWN, verify: UNKNOWN };
    expect(failuresOf(unknowns)).toEqual([]);
    expect(failuresOf({ waitForProjects: ["p", UNKNOWN] })).toEqual([]);
    for (const rotationWindow of [UNKNOWN, { days: UNKNOWN }, { days: ["mon", UNKNOWN], timeZone: UNKNOWN }]) {
      expect(failuresOf({ rotateAfter: "90d", rotationWindow })).toEqual([]);
    }
    expect(failuresOf({ rotateAfter: UNKNOWN, rotationWindow: { days: ["mon"] } })).toEqual([]);
    expect(failuresOf({ maxAge: UNKNOWN, rotationWindow: { days: ["mon"] } })).toEqual([]);
    expect(failuresOf({ rotateAfter: UNKNOWN, maxAge: "30d" })).toEqual([]);
  });

  it("never make the check throw for any values", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...Object.keys(resourceTypes.ApiKey.fields), "__proto__"), fc.jsonValue()),
        (inputs) => {
          const { failures } = check(resourceTypes.ApiKey, inputs, context);
          for (const { property, reason } of failures)
            expect(`${property} ${reason}`).not.toMatch(/undefined|\[object/);
        },
      ),
    );
  });
});

it("C1: a window without an age is refused for a RotatingApiKey, too", () => {
  expect(failuresOf({ rotationWindow: { days: ["mon"] } }, "RotatingApiKey")).toEqual([
    { property: "rotationWindow", reason: expect.stringMatching(/^requires rotateAfter/) },
  ]);
});

describe("the inputs of a ProjectReady", () => {
  it("C1: need a project id that fits into a path", () => {
    const inputs = { projectId: "..", owner: undefined };
    expect(failuresOf(inputs, "ProjectReady").map((failure) => failure.property)).toEqual(["projectId"]);
    expect(failuresOf({ owner: undefined }, "ProjectReady")).toEqual([
      { property: "projectId", reason: "is required" },
    ]);
  });
});

it("C1: a failure of an owner names the key that declares it, and the state does not get that name", () => {
  const inputs = { ...base, owner: undefined, project: "proj", stack: "dev", account: "EU", firstKey: 'ApiKey "ci"' };
  const { failures, inputs: saved } = check(resourceTypes.Owner, inputs, context);
  expect(failures).toEqual([
    { property: "account", reason: expect.stringMatching(/^must be the name of an account/), of: 'ApiKey "ci"' },
  ]);
  expect(saved).not.toHaveProperty("firstKey");
});

it("a key that revokeNow names is known before its resource is compared: the engine may replace it without that", async () => {
  const { context, identity } = await StackHarness.start();
  const inputs = { owner: identity, revokeNow: "7", revokeOnDelete: false };
  check(resourceTypes.RotatingApiKey, inputs, context);
  expect([...context.run.compromised]).toEqual(["7"]);
});
