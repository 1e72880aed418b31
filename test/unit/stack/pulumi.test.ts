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

  test("is asked for pages of the runs of the stack", async () => {
    expect(await (await ask(print([]))).history("dev", 1)).toEqual({ runs: [], isLast: true });
    expect(await words()).toBe("stack history --json --page-size 100 --page 1 --stack dev --non-interactive");
    const full = await (await ask(print(Array(100).fill({ result: "failed" })))).history("dev", 2);
    expect([full.runs.length, full.isLast]).toEqual([100, false]);
    expect(await words()).toContain(" --page 2 ");
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
    expect((await failureOf(pulumi.history("dev", 1))).message).toBe(
      "`pulumi stack history` could not be run (ENOENT)",
    );
  });
});
