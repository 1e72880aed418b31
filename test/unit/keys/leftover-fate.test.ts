import { expect, test } from "vitest";
import { type LeftoverFacts, leftoverFate } from "../../../provider/keys/leftover-fate";

const [booleans, answers] = [
  [true, false],
  ["yes", "no", "unknown"],
] as const;

/** All combinations of facts. */
const cases: readonly LeftoverFacts[] = booleans.flatMap((isUsed) =>
  (["note", "next number", "nothing"] as const).flatMap((by) =>
    (["own", "other version", "other"] as const).flatMap((provider) =>
      answers.flatMap((isHeld) =>
        booleans.flatMap((isOlder) =>
          answers.map((isCovered) => ({ isUsed, by, provider, isHeld, isOlder, isCovered })),
        ),
      ),
    ),
  ),
);

/** The rule in the words of the promise. */
function expected({ isUsed, by, provider, isHeld, isOlder, isCovered }: LeftoverFacts): string {
  const isProven = by === "note" || (by === "next number" && isCovered === "no");
  const isNobodys = isHeld === "no" && !isUsed;
  const isInTime = isOlder || by === "next number";
  if (isProven && isNobodys && provider === "own" && isInTime) return "revoke";
  if (isHeld === "yes" || provider === "other" || !isInTime) return "leave";
  // A key that was used, and that nothing but its tag connects with the resource, is another stack's.
  return by === "nothing" && isUsed ? "leave" : "tell";
}

test("of all combinations, a key is revoked only if a proof names it, and nobody has it or has used it", () => {
  expect(cases).toHaveLength(324);
  for (const facts of cases) expect(leftoverFate(facts).fate, JSON.stringify(facts)).toBe(expected(facts));
  expect(cases.filter((facts) => leftoverFate(facts).fate === "revoke")).toHaveLength(5);
});

test.each<[string, Partial<LeftoverFacts>, string]>([
  ["used", { isUsed: true }, "used"],
  ["in a state that cannot be read", { isHeld: "unknown" }, "no state"],
  ["a next number without a history", { by: "next number", isCovered: "unknown" }, "no history"],
  ["a next number that a run covers", { by: "next number", isCovered: "yes" }, "covered"],
  ["named by a note of another version", { provider: "other version" }, "other version"],
  ["named by nothing", { by: "nothing" }, "no note"],
  ["named by nothing, in a state that cannot be read", { by: "nothing", isHeld: "unknown" }, "no state"],
])("a key that is told, because it is %s, has that reason", (_, facts, why) => {
  const left = { isUsed: false, by: "note", provider: "own", isHeld: "no", isOlder: true, isCovered: "no" } as const;
  expect(leftoverFate({ ...left, ...facts })).toEqual({ fate: "tell", why });
});
