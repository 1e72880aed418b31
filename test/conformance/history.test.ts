import { afterEach, expect, test } from "vitest";
import { type RunOptions, Workspace } from "../../testing/workspace";

let workspace: Workspace;

afterEach(() => workspace.remove({ search: false }));

async function history(...args: string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return JSON.parse((await workspace.command(["stack", "history", "--json", ...args])).stdout);
}

test("the history shows all runs that ended, the latest first, with their flags and times, but no previews", async () => {
  workspace = await Workspace.create({ program: { "index.js": "" } });
  const options: RunOptions = { inProcess: true };
  expect(await history()).toEqual([]);
  await workspace.up({ ...options, previewFirst: true, args: ["--parallel=2", "--refresh"] });
  await workspace.preview(options);
  await workspace.setProgram({ "index.js": 'throw new Error("broken");' });
  await workspace.up({ ...options, mayFail: true });
  await workspace.refresh(options);
  await workspace.destroy(options);

  const all = await history();
  expect(all.map(({ kind, result, resourceChanges }) => [kind, result, resourceChanges])).toEqual([
    ["destroy", "succeeded", { delete: 1 }],
    ["refresh", "succeeded", { same: 1 }],
    ["update", "failed", { same: 1 }],
    ["update", "succeeded", { create: 1 }],
  ]);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  for (const { startTime, endTime } of all) expect([startTime, endTime]).toEqual([time, time]);
  const flags = {
    "pulumi.flag.parallel": "set",
    "pulumi.flag.refresh": expect.any(String),
    "pulumi.version": expect.stringMatching(/^v3\.\d+\.\d+/),
  };
  expect(all.at(-1)?.environment).toMatchObject(flags);
  expect(all.at(0)?.environment).not.toHaveProperty(["pulumi.flag.parallel"]);
  expect(await history("--page-size", "3")).toEqual(all.slice(0, 3));
});
