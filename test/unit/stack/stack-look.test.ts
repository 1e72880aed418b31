import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Run } from "../../../provider/stack/history";
import { StackLook } from "../../../provider/stack/stack-look";

const STARTED = 10_000;
const NOW = 20_000;
const URN = "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci";

/** A run from 5 s to 7 s. The history has whole seconds, or more exact times. */
const run = (onlyUpdates: boolean, began = 5_000): Run => {
  const ended = began + 2_999;
  return { mayHaveSucceeded: true, mayHaveDelivered: true, isComplete: true, onlyUpdates, version: 0, began, ended };
};

const COMMAND = {
  ...{ cli: "pulumi", stack: undefined, isInDoubt: true, isLimited: true, isDestroy: false },
  ...{ usesPlan: false, plan: undefined, pid: undefined },
};

/** How many runs are read at once. */
const PAGE = 2;

/** The runs before those that were read. */
const before: Run = { ...run(false), isComplete: false, began: -Infinity, ended: 10_000 };

/** What a process looks at that was started at 10 s, after these runs. */
class Look extends StackLook {
  /** The pages that were read. */
  readonly asked: number[] = [];

  constructor(
    refreshes: "before" | "between" | "never",
    private readonly runs: readonly Run[] | undefined,
  ) {
    const engine = { log: () => undefined };
    super({ command: { ...COMMAND, refreshes }, startedAt: STARTED, now: () => NOW, engine });
  }

  protected override async pulumi() {
    const history = async (_stack: string, page: number) => {
      this.asked.push(page);
      if (this.runs === undefined) throw new Error("no answer");
      return { runs: this.runs.slice((page - 1) * PAGE, page * PAGE), isLast: page * PAGE >= this.runs.length };
    };
    return { state: () => Promise.reject(new Error("not asked")), history };
  }
}

test.each<[string, number, number, "before" | "between" | "never", readonly Run[] | undefined, boolean]>([
  ["in a run that updates", 4_000, 6_500, "never", [run(true)], true],
  ["in a run that also refreshes", 4_000, 6_500, "never", [run(false)], false],
  ["in two runs at the same time, of which one refreshes", 4_000, 6_500, "never", [run(false), run(true)], false],
  [
    "in a run before one that refreshes, by another clock",
    4_000,
    6_500,
    "never",
    [run(true), run(false, 280_000)],
    false,
  ],
  ["in a run long before one that refreshes", 4_000, 6_500, "never", [run(true), run(false, 310_000)], true],
  ["in the second in which a run began", 4_000, 5_900, "never", [run(true)], false],
  ["in the second in which a run ended", 4_000, 7_100, "never", [run(true)], false],
  ["before a run", 4_000, 4_999, "never", [run(true)], false],
  ["after it, as in a run that was killed", 4_000, 8_001, "never", [run(true)], false],
  ["in a run that the history cannot show", 4_000, 6_500, "never", undefined, false],
  [
    "in a run beside one that refreshes at an unreadable time",
    4_000,
    6_500,
    "never",
    [run(true), run(false, Number.NaN)],
    false,
  ],
  ["in this run, of a key from an earlier one", 4_000, 11_000, "never", [], true],
  ["in this run, which may have found it by its refresh", 4_000, 11_000, "before", [], false],
  ["in this run, after its refresh", 10_500, 11_000, "before", undefined, true],
  ["in the future, by the wrong clock of another machine", 10_500, 20_500, "never", undefined, false],
  ["in a run in the future, by the wrong clock of its machine", 4_000, 21_500, "never", [run(true, 20_000)], false],
  ["in this run, which refreshes all the time", 10_500, 11_000, "between", undefined, false],
])("a change %s proves an update", async (_, from, changedAt, refreshes, runs, isProof) => {
  const isUpdate = await new Look(refreshes, runs).updatesSince(from, URN);
  expect(isUpdate(changedAt)).toBe(isProof);
});

/** A run from 10 s to 12 s. */
const long = (ended = 12_999): Run => ({ ...run(true, 10_000), ended });

test.each<[string, number, readonly Run[] | undefined, boolean | undefined]>([
  ["before a run", 9_000, [long()], false],
  ["in the second in which a run began", 10_000, [long()], true],
  ["before a run, by its exact time, in the same second", 10_000, [{ ...long(), began: 10_700 }], true],
  ["in a run", 11_000, [long()], true],
  ["in the second in which a run ended", 12_000, [long()], true],
  ["after a run, by its exact time, in the same second", 12_900, [long(12_300)], true],
  ["after a run", 13_000, [long()], false],
  ["in a run that failed, or in a destroy", 11_000, [{ ...long(), mayHaveSucceeded: false }], false],
  ["in a run without a readable time", 11_000, [long(Number.NaN)], true],
  ["that the history cannot show", 11_000, undefined, undefined],
])("a run that was started %s may have succeeded", async (_, startedAt, runs, mayHave) => {
  expect(await new Look("never", runs).mayHaveSucceeded(startedAt, URN)).toBe(mayHave);
});

test("a rotation is found however many runs there were since, and all share what was read", async () => {
  const runs = [9_000, 7_000, 5_000, 3_000, 1_000].map((began) => ({ ...run(true, began), ended: began + 999 }));
  const look = new Look("never", runs);
  const mark = (startedAt: number) => ({ startedAt, lastEnd: startedAt - 1_001, runsAtLastEnd: 1 });
  expect(await look.mayHaveSucceeded(9_500, URN)).toBe(true);
  expect(look.asked).toEqual([1]);
  const found = await Promise.all([7_500, 5_500, 5_500, 3_500].map((startedAt) => look.since(mark(startedAt), URN)));
  expect(found).toEqual([7_999, 5_999, 5_999, 3_999]);
  expect(look.asked).toEqual([1, 2]);
  expect(await look.since(mark(1_500), URN)).toBe(1_999);
  expect(await look.since(mark(500), URN)).toBe("later");
  expect(look.asked).toEqual([1, 2, 3]);
  const failing = new Look("never", undefined);
  const unknown = await Promise.all([failing.since(mark(3_500), URN), failing.since(mark(1_500), URN)]);
  expect(unknown).toEqual([undefined, undefined]);
  expect(failing.asked).toEqual([1]);
});

test.each<[string, [from: number, to: number], readonly Run[], boolean]>([
  ["in which a run ended", [12_000, 13_000], [long()], true],
  ["before a run ended", [10_000, 11_000], [long()], false],
  ["that ends in the second in which a run ended", [10_000, 12_500], [long()], true],
  ["after all runs", [13_000, 14_000], [long(), before], false],
  ["that begins before the runs that were read", [9_000, 11_000], [long(), before], true],
  ["that ends before the runs that were read", [5_000, 9_000], [long(), before], true],
])("a run may have delivered a key in a period %s", async (_, [from, to], runs, mayHave) => {
  expect(await new Look("never", runs).mayHaveDeliveredBetween(from, to, URN)).toBe(mayHave);
});

test("a run that was started before those that were read may have succeeded", async () => {
  const look = new Look("never", [long(), before]);
  expect(await look.mayHaveSucceeded(5_000, URN)).toBe(true);
  expect(await look.mayHaveSucceeded(14_000, URN)).toBe(false);
});

/** A folder with a project, a CLI that answers only there, and a process in it that stands for the engine. */
async function withEngine(use: (engine: { readonly cli: string; readonly pid: number | undefined }) => Promise<void>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "keyplane-look-")));
  const cli = join(folder, "pulumi.js");
  const state = JSON.stringify({ deployment: {} });
  await writeFile(
    cli,
    `if (process.cwd() !== __dirname) process.exit(1);process.stdout.write(${JSON.stringify(state)})`,
  );
  await writeFile(join(folder, "Pulumi.yaml"), "options: { refresh: always }");
  const engine = spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)"], { stdio: "ignore", cwd: folder });
  await once(engine, "spawn");
  try {
    await use({ cli, pid: engine.pid });
  } finally {
    engine.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
}

test.runIf(process.platform === "linux")("the CLI is asked in the engine's folder, which has the project", async () => {
  await withEngine(async ({ cli, pid }) => {
    const told: string[] = [];
    const engine = { log: (_urn: string, _severity: string, text: string) => void told.push(text) };
    const command = { ...COMMAND, cli, pid, refreshes: "never" as const };
    const look = new StackLook({ command, startedAt: STARTED, now: () => NOW, engine });
    expect(await look.state(URN, "update", { fresh: false })).toBeDefined();
    expect(told).toEqual([]);
    // The project has this run refresh before it changes anything.
    expect((await look.updatesSince(4_000, URN))(11_000)).toBe(false);
  });
});
