import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { examples } from "./stack-under-test";

const run = promisify(execFile);
const vitest = join(__dirname, "..", "..", "node_modules", "vitest", "vitest.mjs");

test("testing-your-program: its tests pass when a user runs them in the program's folder", async () => {
  const cwd = join(examples, "testing-your-program");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  // If the tests fail, the error shows their output.
  const { stdout } = await run(process.execPath, [vitest, "run"], { cwd, env: { ...env, NO_COLOR: "1" } });
  expect(stdout).toMatch(/Tests {2}4 passed \(4\)/);
});
