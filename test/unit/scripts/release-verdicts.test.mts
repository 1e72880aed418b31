import { expect, test } from "vitest";

const { summary, tried, unset } = await import(new URL("../../../scripts/release/verdicts.mjs", import.meta.url).href);

const machine = { offline: false, has: (tool: string) => tool === "npm" };
const part = (judge: () => unknown, more: object = {}) => ({ name: "the part", judge, ...more });

test("a part without a flaw has passed, and each flaw is a line of its own", async () => {
  expect(
    await tried(
      part(() => []),
      {},
      machine,
    ),
  ).toEqual([{ verdict: "passed", text: "the part" }]);
  expect(
    await tried(
      part(async () => ["one", "two"]),
      {},
      machine,
    ),
  ).toEqual([
    { verdict: "failed", text: "the part: one" },
    { verdict: "failed", text: "the part: two" },
  ]);
});

test("a part that throws has failed, so that no error of the check looks like a pass", async () => {
  const breaks = part(() => {
    throw new Error("no such file");
  });
  expect(await tried(breaks, {}, machine)).toEqual([{ verdict: "failed", text: "the part: no such file" }]);
});

test("a part that cannot be tried says why, and does not run", async () => {
  const never = () => expect.unreachable();
  const reasons = async (each: object, offline = false) => {
    return (await tried(each, {}, { ...machine, offline })) as { verdict: string; text: string }[];
  };
  expect(await reasons(part(never, { tools: ["npm", "go", "pulumi"] }))).toEqual([
    { verdict: "not tried", text: "the part: go, pulumi is not on the PATH" },
  ]);
  const leftOut = [{ verdict: "not tried", text: "the part: --offline leaves it out" }];
  expect(await reasons(part(never, { tools: ["npm"] }), true)).toEqual(leftOut);
});

test("the check fails if a part fails or none ran, and before a release also if something is unset or was not tried", () => {
  const passed = { verdict: "passed" };
  const failed = { verdict: "failed" };
  const notTried = { verdict: "not tried" };
  const [missing] = unset(["publisher"]);
  expect(missing).toEqual({ verdict: "unset", text: "publisher in scripts/release/names.json" });
  expect(summary([passed, missing, notTried], false)).toEqual({
    text: "1 passed, 0 failed, 1 unset, 1 not tried",
    isFine: true,
  });
  expect(summary([passed], true).isFine).toBe(true);
  expect(summary([passed, missing], true).isFine).toBe(false);
  expect(summary([passed, notTried], true).isFine).toBe(false);
  expect(summary([passed, failed], false).isFine).toBe(false);
  expect(summary([], false).isFine).toBe(false);
});
