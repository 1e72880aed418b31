import { expect, test } from "vitest";
import { decideOrphan, type OrphanFacts, proofOf } from "../../../provider/keys/orphan-decision";

const [booleans, answers] = [
  [true, false],
  ["yes", "no", "unknown"],
] as const;

/** All combinations of facts. */
const cases: readonly OrphanFacts[] = booleans.flatMap((isUsed) =>
  (["pending creation", "next attempt", "exact name", "none"] as const).flatMap((proof) =>
    answers.flatMap((isUnderWay) =>
      answers.flatMap((isHeld) =>
        answers.map((isUpdatedSince) => ({ isUsed, proof, isUnderWay, isHeld, isUpdatedSince })),
      ),
    ),
  ),
);

/** The rule in the words of the promise. */
function expected({ isUsed, proof, isUnderWay, isHeld, isUpdatedSince }: OrphanFacts): string {
  if (isHeld === "yes" || isUnderWay === "yes") return "leave";
  if (isUsed && proof === "none") return "leave";
  const isProven = proof === "pending creation" || (proof === "next attempt" && isUpdatedSince === "no");
  return isProven && isHeld === "no" && isUnderWay === "no" && !isUsed ? "revoke" : "report";
}

test("of all combinations, a key is revoked only if a proof names it, and nobody has it or has used it", () => {
  expect(cases).toHaveLength(216);
  for (const facts of cases) expect(decideOrphan(facts).decision, JSON.stringify(facts)).toBe(expected(facts));
  expect(cases.filter((facts) => decideOrphan(facts).decision === "revoke")).toHaveLength(4);
});

test.each<[string, Partial<OrphanFacts>, string]>([
  ["used", { isUsed: true }, "used"],
  ["in a state that cannot be read", { isHeld: "unknown" }, "no state"],
  ["a next attempt without a history", { proof: "next attempt", isUpdatedSince: "unknown" }, "no history"],
  ["a next attempt before an update that has ended", { proof: "next attempt", isUpdatedSince: "yes" }, "updated since"],
  ["one that another version may have under way", { isUnderWay: "unknown" }, "under way"],
  ["one with an exact name", { proof: "exact name" }, "exact name"],
  ["without a proof", { proof: "none" }, "no proof"],
])("a key that is reported, because it is %s, has that reason", (_, facts, why) => {
  const orphan: OrphanFacts = {
    isUsed: false,
    proof: "pending creation",
    isUnderWay: "no",
    isHeld: "no",
    isUpdatedSince: "no",
  };
  expect(decideOrphan({ ...orphan, ...facts })).toEqual({ decision: "report", why });
});

test.each([
  [
    "a name with the suffix of a pending creation",
    "ci-abcdefghijk2-2",
    { creation: "abcdefghijk2" },
    "pending creation",
  ],
  ["a name that a pending creation requests itself", "ci", { creation: "abcdefghijk2" }, "exact name"],
  ["a later attempt than its resource has made", "ci-abcdefghijk2-3", { attempts: 2 }, "next attempt"],
  ["an attempt that its resource has made", "ci-abcdefghijk2-2", { attempts: 2 }, "none"],
  ["a name of nobody", "ci-abcdefghijk2", {}, "none"],
])("what shows that an interrupted run requested %s", (_, name, requester, proof) => {
  expect(proofOf(name, requester)).toBe(proof);
});
