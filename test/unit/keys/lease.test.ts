import { describe, expect, it } from "vitest";
import { identityOf } from "../../../provider/keys/identity";
import { deadlineIn, leaseRules, rotationAge } from "../../../provider/keys/lease";
import { autoName, hasTagOf, isNamedFor, newRunId, noncesOf, runIn, tagsIn } from "../../../provider/keys/names";

const OWNER = "3b241101-e2bb-4255-8caf-4136c566a962";
const DEADLINE = Date.UTC(2027, 1, 28, 23, 59, 31);
const identities = {
  "npm package": identityOf(OWNER, "a.b"),
  plugin: identityOf(OWNER, "a.b", "urn:pulumi:dev::app::keyplane:index:ApiKey::ci"),
};

describe.each(Object.entries(identities))("a name with a deadline (%s)", (_, identity) => {
  const runId = newRunId();
  const nonce = noncesOf(runId)();
  const name = autoName("ci", identity, nonce, DEADLINE);

  it("shows the deadline, rounded down to a minute, and still shows who requested the key", () => {
    expect(name).toMatch(/^ci-exp20270228t2359z[a-z2-7]{4}-/);
    expect(deadlineIn(name)).toBe(Date.UTC(2027, 1, 28, 23, 59));
    expect(isNamedFor(name, identity)).toBe(true);
    expect(hasTagOf(name, OWNER)).toBe(true);
    expect(runIn(name)).toBe(runId);
    expect(tagsIn(name)).toEqual(tagsIn(autoName("ci", identity, nonce)));
  });

  it("has at most 64 characters with the longest prefix", () => {
    const long = autoName(`a${"b".repeat(45)}`, identity, nonce, DEADLINE);
    expect(long).toHaveLength(64);
    expect(deadlineIn(long)).toBe(Date.UTC(2027, 1, 28, 23, 59));
  });

  it.each([
    ["another prefix", name.replace(/^ci/, "cd")],
    ["a later year", name.replace("exp2027", "exp2028")],
    ["another nonce", `${name.slice(0, -8)}aaaaaaaa`],
    ["a part that is missing", name.slice(0, -9)],
    ["a part more", `${name}-aaaaaaaa`],
    ["capital letters", name.toUpperCase()],
    ["no deadline", autoName("ci", identity, nonce)],
    ["a deadline that somebody wrote", "deploy-exp20261231t2359zabcd-abcdefgh-ijklmnop"],
    ["a line break", `${name}\n`],
  ])("has no deadline with %s", (_, other) => {
    expect(deadlineIn(other)).toBeUndefined();
  });
});

describe("the rules of maxAge", () => {
  it("rotate after two thirds of it, unless rotateAfter is set", () => {
    expect(rotationAge({ maxAge: "30d" })).toBe(20 * 86_400_000);
    expect(rotationAge({ maxAge: "30d", rotateAfter: "5d" })).toBe(5 * 86_400_000);
    expect(rotationAge({})).toBeUndefined();
  });

  it.each([
    [{ maxAge: "30d" }, 0],
    [{ maxAge: "30d", rotateAfter: "29d" }, 0],
    [{ maxAge: "30d" }, 9 * 86_400_000],
    [{ maxAge: "30d", rotationWindow: {} }, 0],
    [{ rotateAfter: "30d" }, 0],
    [{}, 0],
  ])("accept %j with a grace of %d ms", (inputs, grace) => {
    expect(leaseRules(inputs, grace)).toEqual([]);
  });

  it.each([
    [{ maxAge: "9m" }, 0, "at least 10m"],
    [{ maxAge: "30d", rotateAfter: "30d" }, 0, "rotateAfter (30 d)"],
    [{ maxAge: "30d" }, 10 * 86_400_000, "two thirds of it until the rotation (20 d), gracePeriod (10 d)"],
    [{ maxAge: "20d", rotationWindow: {} }, 0, "7 days in which rotationWindow may be closed"],
  ])("refuse %j with a grace of %d ms", (inputs, grace, reason) => {
    expect(leaseRules(inputs, grace)).toEqual([{ property: "maxAge", reason: expect.stringContaining(reason) }]);
  });
});
