import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Pulumi } from "../../../provider/stack/pulumi";
import { failureOf } from "../resources/harness";

const SECRET = "kp_0verysecret";

let folder = "";
let cli = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyplane-pulumi-"));
  cli = join(folder, "pulumi.js");
});

afterEach(() => rm(folder, { recursive: true }));

/** Asks a CLI that runs this script. */
const ask = async (script: string, stack?: string, timeoutMs?: number) => {
  await writeFile(
    cli,
    `require("fs").writeFileSync(${JSON.stringify(join(folder, "words"))}, process.argv.slice(2).join(" "));${script}`,
  );
  return new Pulumi({ cli, stack }, { timeoutMs });
};
const print = (answer: unknown) => `process.stdout.write(${JSON.stringify(JSON.stringify(answer))});`;
const words = () => readFile(join(folder, "words"), "utf8");

describe("the Pulumi CLI", () => {
  test.each([
    [undefined, "dev"],
    ["", "dev"],
    ["dev", "dev"],
    ["acme/app/dev", "acme/app/dev"],
    ["acme/app/renamed", "acme/app/renamed"],
  ])("is asked for the stack that the command names: %s, for a resource of the stack dev", async (named, selected) => {
    const pulumi = await ask(print({ deployment: {} }), named);
    expect(await pulumi.state("dev")).toEqual({ resources: [], savedAt: undefined, underWay: 0, creating: [] });
    expect(await words()).toBe(`stack export --stack ${selected} --non-interactive`);
  });

  test("is asked for the selected stack if the command names none, and the default organization has no such stack", async () => {
    const script = `if (process.argv.includes("--stack")) { console.error("error: no stack named 'dev' found"); process.exit(3); }
${print({ deployment: {} })}`;
    expect(await (await ask(script, "")).state("dev")).toMatchObject({ resources: [] });
    expect(await words()).toBe("stack export --non-interactive");
    for (const named of [undefined, "dev"]) {
      expect(await failureOf((await ask(script, named)).state("dev"))).toMatchObject({ problem: "no stack" });
    }
  });

  test("is asked for the last runs of the stack", async () => {
    expect(await (await ask(print([]))).history("dev")).toEqual([]);
    expect(await words()).toBe("stack history --json --page-size 100 --page 1 --stack dev --non-interactive");
    // Neither runs without a time nor an answer that repeats itself goes on forever.
    for (const run of [{ result: "failed" }, { result: "failed", startTime: "2026-01-01T00:00:00Z" }]) {
      const runs = await (await ask(print(Array(100).fill(run)))).history("dev", 0);
      expect(runs).toHaveLength(101);
      expect(runs[100]).toMatchObject({ mayHaveDelivered: true });
    }
  });

  test.each([
    ["is asked for the last runs only", undefined, 1, 101],
    ["is asked for further runs until one began before a time", 150, 2, 201],
    ["is asked for all runs if none began before a time", 1_000, 3, 250],
  ])("%s", async (_, minutes, pages, count) => {
    // The last run began at 1e12, and each other one a minute before the next.
    const pulumi = await ask(`const page = Number(process.argv[process.argv.indexOf("--page") + 1]);
const runs = Array.from({ length: page < 3 ? 100 : 50 }, (_, at) => {
  const startTime = new Date(1e12 - ((page - 1) * 100 + at) * 60000).toISOString();
  return { kind: "update", result: "succeeded", startTime, endTime: startTime };
});
process.stdout.write(JSON.stringify(runs));`);
    const since = minutes === undefined ? undefined : 1e12 - minutes * 60_000;
    const runs = await pulumi.history("dev", since);
    expect(await words()).toContain(`--page ${pages} `);
    expect(runs).toHaveLength(count);
    // What is before the runs that were read is not known.
    expect(runs.at(-1)?.began === Number.NEGATIVE_INFINITY).toBe(pages < 3);
  });

  test("is not asked by a shell, whatever the name of the stack", async () => {
    const pulumi = await ask(print({ deployment: {} }));
    await pulumi.state(`dev; touch ${join(folder, "pwned")} $(id)`);
    expect(await words()).toContain("--stack dev; touch");
  });

  test.each<[string, string, string]>([
    [
      "fails",
      `console.log("${SECRET}"); console.error("${SECRET}"); process.exit(255)`,
      "`pulumi stack export` failed with exit code 255",
    ],
    ["answers with something else", `console.log("${SECRET}")`, "the answer of `pulumi stack export` is not JSON"],
    ["answers with nothing", "", "the answer of `pulumi stack export` is empty"],
    [
      "answers with another object",
      print({ key: SECRET }),
      "the answer of `pulumi stack export` is neither the output of `pulumi stack export` nor a checkpoint file",
    ],
    [
      "answers with a broken resource",
      print({ deployment: { resources: [{ key: SECRET }] } }),
      "the answer of `pulumi stack export` has a resource without a URN or a type",
    ],
  ])("that %s is reported without what it printed", async (_, script, message) => {
    const error = await failureOf((await ask(script)).state("dev"));
    expect(error.message).toBe(message);
    expect(error.stack).not.toContain(SECRET);
    expect(error.cause).toBeUndefined();
  });

  test("that does not answer is killed after some time", async () => {
    const pulumi = await ask("setInterval(() => {}, 1000)", undefined, 300);
    expect((await failureOf(pulumi.state("dev"))).message).toBe("`pulumi stack export` did not answer in time");
  });

  test("that waits for input gets none", async () => {
    const pulumi = await ask(`process.stdin.on("end", () => {${print({ deployment: {} })}}).resume()`);
    expect((await pulumi.state("dev")).resources).toEqual([]);
  });

  test("that does not exist is reported", async () => {
    const pulumi = new Pulumi({ cli: join(folder, "nothing"), stack: undefined });
    expect((await failureOf(pulumi.history("dev"))).message).toBe("`pulumi stack history` could not be run (ENOENT)");
  });
});
