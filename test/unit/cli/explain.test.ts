import { expect, test } from "vitest";
import { ERRORS } from "../../../provider/errors";
import { run } from "./support";

test("explain says what an error means and what to do, with the text of the documents", async () => {
  const { code, stdout } = await run(["explain", "kp-name-taken"]);
  const words = stdout.replace(/\s+/g, " ");
  expect(code).toBe(0);
  expect(words).toContain(ERRORS["KP-NAME-TAKEN"].when);
  expect(words).toContain(`What to do: ${ERRORS["KP-NAME-TAKEN"].remedy}`);
  const asJson = await run(["explain", "KP-LOST", "--json"]);
  expect(JSON.parse(asJson.stdout)).toEqual({ code: "KP-LOST", ...ERRORS["KP-LOST"] });
});

test("explain lists all errors, one per line", async () => {
  const { stdout } = await run(["explain"]);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]),
  ).toEqual(Object.keys(ERRORS));
});

test("a code that is nearly right gets the right one", async () => {
  const { code, stderr } = await run(["explain", "kp-wrong-acount"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean KP-WRONG-ACCOUNT?")]);
});

test("explain refuses an unknown code as wrong usage and does not repeat it", async () => {
  const { code, stderr } = await run(["explain", "kp_live_4711"]);
  expect([code, stderr]).toEqual([2, expect.not.stringContaining("4711")]);
});
