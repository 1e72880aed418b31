import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, start } from "./support";

/** The lines of the help for options, in a terminal with this many columns, or in a pipe if there is no number. */
async function optionLines(columns?: number): Promise<string[]> {
  const terminal = `Object.assign(process.stdout, ${JSON.stringify({ isTTY: true, columns })});`;
  const preload = join(await folderWith({ "terminal.cjs": terminal }), "terminal.cjs");
  const env = columns === undefined ? {} : { NODE_OPTIONS: `--require ${JSON.stringify(preload)}` };
  const { stdout } = await start(["keys", "--help"], { env }).done;
  return stdout.split("\n").filter((line) => line.startsWith("  "));
}

test.each([
  [0, 80],
  [80, 80],
  [100, 100],
])("the help in a terminal that reports %i columns fits %i", async (columns, fits) => {
  const longest = Math.max(...(await optionLines(columns)).map((line) => line.length));
  expect(longest).toBeLessThanOrEqual(fits);
  expect(longest).toBeGreaterThan(fits - 15);
});

test("the help in a pipe keeps each option on one line", async () => {
  expect((await optionLines()).filter((line) => !line.startsWith("  -"))).toEqual([]);
});
