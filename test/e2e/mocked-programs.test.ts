import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { examples } from "./run-example";

const run = promisify(execFile);
const root = join(__dirname, "..", "..");

test("the unit test with mocks in the documentation passes as it is shown", async () => {
  const page = await readFile(join(root, "docs", "testing.md"), "utf8");
  const [, shown] = /^```ts\n((?:(?!^```)[\s\S])*setMocks[\s\S]*?)^```/m.exec(page) ?? expect.fail("no test is shown");
  const parent = join(examples, "testing-your-program", ".tmp");
  await mkdir(parent, { recursive: true });
  // The test is in the folder of an example, where it finds its packages.
  const folder = await mkdtemp(join(parent, "mocks-"));
  try {
    await writeFile(join(folder, "mocks.test.ts"), shown ?? "");
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const ran = run(process.execPath, [vitest, "run", "--root", folder], { env: { ...env, NO_COLOR: "1" } });
    // If the test fails, the error shows its output.
    expect((await ran).stdout).toMatch(/Tests {2}1 passed \(1\)/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
