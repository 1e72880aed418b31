import { Command, type CommanderError, InvalidArgumentError } from "commander";
import { describe, expect, test } from "vitest";
import { usageErrorOf } from "../../../cli/usage-error";
import { run } from "./support";

const SECRET = "kp_0verysecret";

/** The error for a command line. */
function problemOf(...args: string[]): string {
  const program = new Command("tool").exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  const refuse = () => {
    throw new InvalidArgumentError("It must be a number.");
  };
  program.command("keys").option("--project <id>").option("--older-than <age>", "", refuse).option("--json");
  try {
    program.parse(args, { from: "user" });
    return "";
  } catch (error) {
    return usageErrorOf(error as CommanderError).message;
  }
}

test.each<[string[], string]>([
  [[SECRET], "unknown command"],
  [["kesy"], "unknown command (Did you mean keys?)"],
  [["help", SECRET], "unknown command"],
  [["keys", `--${SECRET}`], "unknown option"],
  [["keys", `-${SECRET}`], "unknown option"],
  [["keys", "--projekt", "7"], "unknown option '--projekt' (Did you mean --project?)"],
  [["keys", `--api-key=${SECRET}`], "unknown option '--api-key=...'"],
  [["keys", "--older-than", SECRET], "option '--older-than <age>': its argument is invalid. It must be a number."],
  [
    ["keys", "--older-than", `x' is invalid. ${SECRET}`],
    "option '--older-than <age>': its argument is invalid. It must be a number.",
  ],
  [["keys", "--project", "7", SECRET], "too many arguments for 'keys'. Expected 0 arguments but got 1."],
  [["keys", "--project"], "option '--project <id>' argument missing"],
])("the command line %o is refused without repeating it: %s", (args, problem) => {
  expect(problemOf(...args)).toBe(problem);
});

describe("a word that could be a secret is not repeated by", () => {
  test.each([
    [[SECRET]],
    [["help", SECRET]],
    [["keys", SECRET]],
    [["keys", "--unused-for", SECRET]],
    [["keys", "--state", SECRET]],
    [["keys", "--account", SECRET]],
    [["keys", "--organization", `${SECRET}/..`]],
    [["report", "--json", "--organization", SECRET]],
    [["sweep", "--prefix", SECRET]],
    [["doctor", "--stack", "dev", SECRET]],
    [["serve", "--port", SECRET]],
    [["serve", "--data", `${SECRET}/none/plane.json`]],
    [["serve", "--api-key", `${SECRET} `]],
    [[`--${SECRET}`]],
  ])("%o", async (args) => {
    const env = { KEYPLANE_BASE_URL: "http://127.0.0.1:1/api/v2", KEYPLANE_API_KEY: "kp_of_the_environment", PATH: "" };
    for (const json of [[], ["--json"]]) {
      const { code, stdout, stderr } = await run([...args, ...json], { env });
      expect(code).toBeGreaterThan(0);
      expect(stdout + stderr).not.toContain("verysecret");
    }
  });
});

test.each(["keys", "report", "sweep", "reap", "revoke"])(
  "%s refuses what is no organization before any request, by the name of its option",
  async (command) => {
    // Nothing listens there.
    const env = { KEYPLANE_BASE_URL: "http://127.0.0.1:1/api/v2", KEYPLANE_API_KEY: "kp_of_the_environment" };
    const more = { report: ["--json"], sweep: ["--prefix", "ci"], revoke: ["7"] }[command] ?? [];
    const { code, stderr } = await run([command, ...more, "--organization", "a", "--organization", "B"], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--organization: must be the id of an organization")]);
  },
);

test("a wrong command line with --json is also reported as JSON", async () => {
  const { code, stdout } = await run(["keys", "--projekt", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({ error: { code: "KP-USAGE", message: "unknown option '--projekt'" } });
});

test("a wrong command line names the help of its command, and of the whole if no command is known", async () => {
  const hintFor = async (...args: string[]) => (await run(args)).stderr.split("\n").at(-2);
  expect(await hintFor("sweep", "--projekt")).toBe("Try keyplane sweep --help");
  expect(await hintFor("sweep")).toBe("Try keyplane sweep --help");
  for (const args of [[], [SECRET], ["--projekt"]]) expect(await hintFor(...args)).toBe("Try keyplane --help");
});
