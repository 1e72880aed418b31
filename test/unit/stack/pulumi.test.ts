import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Pulumi, type PulumiError } from "../../../provider/stack/pulumi";

const SECRET = "kp_0verysecret";

let folder = "";
let cli = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyplane-pulumi-"));
  cli = join(folder, "pulumi.js");
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  return rm(folder, { recursive: true });
});

/** Asks a CLI that runs this script. */
const ask = async (script: string, timeoutMs?: number) => {
  await writeFile(
    cli,
    `require("fs").writeFileSync(${JSON.stringify(join(folder, "words"))}, process.argv.slice(2).join(" "));${script}`,
  );
  return new Pulumi({ cli, timeoutMs });
};
const print = (answer: unknown) => `process.stdout.write(${JSON.stringify(JSON.stringify(answer))});`;
const words = () => readFile(join(folder, "words"), "utf8");
const failureOf = (answer: Promise<unknown>): Promise<PulumiError> =>
  answer.then(
    () => Promise.reject(new Error("it answered")),
    (error) => error,
  );

describe("the Pulumi CLI", () => {
  test("is asked for the state and the history of a stack, by default the selected one", async () => {
    const pulumi = await ask(print({ deployment: {} }));
    expect(await pulumi.state("acme/app/dev")).toEqual({ resources: [], savedAt: undefined, pending: [] });
    expect(await words()).toBe("stack export --stack acme/app/dev --non-interactive");
    await pulumi.state();
    expect(await words()).toBe("stack export --non-interactive");
    expect(await (await ask(print([{ kind: "update", result: "failed" }]))).history("dev")).toHaveLength(1);
    expect(await words()).toBe("stack history --json --page-size 100 --stack dev --non-interactive");
  });

  test("is asked for a value of the configuration", async () => {
    const script = `console.log(JSON.stringify({ "keyplane:apiKey": { value: "${SECRET}", secret: true } }))`;
    const config = await (await ask(script)).config("dev");
    expect([...config]).toEqual([["keyplane:apiKey", { text: SECRET, isSecret: true }]]);
    expect(await words()).toBe("config --json --show-secrets --stack dev --non-interactive");
  });

  test("is the one that KEYPLANE_PULUMI names, in the folder of the project", async () => {
    await ask(print([]));
    vi.stubEnv("KEYPLANE_PULUMI", relative(process.cwd(), cli));
    const other = await mkdtemp(join(tmpdir(), "keyplane-project-"));
    expect(await new Pulumi({ cwd: other }).history("dev")).toEqual([]);
    await rm(other, { recursive: true });
  });

  test("is asked in the folder of the project, from which the relative path of a backend counts", async () => {
    const pulumi = await ask(`require("fs").writeFileSync("asked-here", "");${print([])}`);
    const program = join(folder, "src", "deploy");
    await mkdir(program, { recursive: true });
    await writeFile(join(folder, "Pulumi.yaml"), "name: app\nmain: src/deploy\n");
    vi.spyOn(process, "cwd").mockReturnValue(program);
    await pulumi.history("dev");
    expect(await readFile(join(folder, "asked-here"), "utf8")).toBe("");
  });

  test.each([
    ["error: no stack named 'dev' found", "no stack"],
    ["error: no stack selected; please use `pulumi stack select`", "none selected"],
    ["error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions", "no login"],
    ["error: no Pulumi.yaml project file found", "no project"],
    ["error: something else", "failed"],
  ])("that prints %j has a known problem", async (printed, problem) => {
    const pulumi = await ask(`console.error(${JSON.stringify(printed)}); process.exit(255)`);
    expect(await failureOf(pulumi.state("dev"))).toMatchObject({ problem });
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
    ["has a broken history", print({ key: SECRET }), "the answer of `pulumi stack history` is not a list of runs"],
  ])("that %s is reported without what it printed", async (_, script, message) => {
    const pulumi = await ask(script);
    const error = await failureOf(message.includes("history") ? pulumi.history("dev") : pulumi.state("dev"));
    expect(error.message).toBe(message);
    expect(error.stack).not.toContain(SECRET);
    expect(error.cause).toBeUndefined();
  });

  test("that does not answer is killed after some time", async () => {
    const pulumi = await ask("setInterval(() => {}, 1000)", 300);
    expect((await failureOf(pulumi.state("dev"))).message).toBe("`pulumi stack export` did not answer in time");
  });

  test("that is ended by a signal names it", async () => {
    const pulumi = await ask('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)');
    expect((await failureOf(pulumi.state("dev"))).message).toBe("`pulumi stack export` was ended by SIGTERM");
  });

  test("that waits for input gets none", async () => {
    const pulumi = await ask(`process.stdin.on("end", () => {${print({ deployment: {} })}}).resume()`);
    expect((await pulumi.state("dev")).resources).toEqual([]);
  });

  test("that does not exist is reported", async () => {
    const error = await failureOf(new Pulumi({ cli: join(folder, "nothing") }).history("dev"));
    expect(error).toMatchObject({
      message: "`pulumi stack history` could not be run (ENOENT)",
      problem: "not found",
    });
  });
});
