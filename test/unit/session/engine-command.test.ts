import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const URN = "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci";
const OTHER = "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci-2";

let parent: ChildProcess | undefined;

beforeEach(() => {
  const options = ["REPLACE", "TARGET_REPLACE", "TARGET", "EXCLUDE", "CONTINUE_ON_ERROR"];
  for (const name of options) vi.stubEnv(`PULUMI_OPTION_${name}`, undefined);
  vi.stubEnv("PULUMI_CONTINUE_ON_ERROR", undefined);
});

afterEach(() => {
  parent?.kill("SIGKILL");
  parent = undefined;
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Whether this process would find a replacement in these words of its parent's command line. */
async function isReplaced(...words: string[]): Promise<boolean> {
  parent = spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)", "--", ...words], { stdio: "ignore" });
  await once(parent, "spawn");
  vi.spyOn(process, "ppid", "get").mockReturnValue(Number(parent.pid));
  vi.resetModules();
  const { isReplacedByCommand } = await import("../../../provider/session/engine-command.js");
  return isReplacedByCommand(URN);
}

test.each([
  [["up", "--replace", URN]],
  [["up", `--replace=${URN}`]],
  [["up", "--target-replace", URN, "--yes"]],
  [["up", `--target-replace=${OTHER},${URN}`]],
  [["up", `--replace=${URN},${OTHER}`]],
  [["up", "--replace", "urn:pulumi:dev::proj::**"]],
  [["up", "--replace", "**ci"]],
  [["up", "--replace=**:ApiKey::*"]],
])("the command %j can replace the resource", async (words) => {
  expect(await isReplaced(...words)).toBe(true);
});

test.each([
  [["up"]],
  [["up", "--target", URN]],
  [["up", "--replace", OTHER, "--target", "**"]],
  [["up", "--replace", OTHER]],
  [["up", `--replace=${OTHER}`, "--target", `${URN}x`]],
  [[]],
])("the command %j does not replace the resource", async (words) => {
  expect(await isReplaced(...words)).toBe(false);
});

test.each([
  ["PULUMI_OPTION_REPLACE", URN, true],
  ["PULUMI_OPTION_TARGET_REPLACE", `${OTHER},${URN}`, true],
  ["PULUMI_OPTION_REPLACE", "**ci", true],
  ["PULUMI_OPTION_REPLACE", OTHER, false],
])("the option in %s=%s counts", async (name, value, expected) => {
  vi.stubEnv(name, value);
  expect(await isReplaced("up")).toBe(expected);
});

test("a command that cannot be read replaces nothing that is known", async () => {
  vi.spyOn(process, "ppid", "get").mockReturnValue(2 ** 30);
  vi.resetModules();
  const { isReplacedByCommand } = await import("../../../provider/session/engine-command.js");
  expect(isReplacedByCommand(URN)).toBe(false);
});

test.each([
  [["up", "--target", URN], { limited: true, continues: false }],
  [["up", "-t", URN], { limited: true, continues: false }],
  [["up", `--exclude=${OTHER}`], { limited: true, continues: false }],
  [["up", "--continue-on-error"], { limited: false, continues: true }],
  [["up", "--continue-on-error=false"], { limited: false, continues: false }],
  [["up", "--replace", URN, "--yes"], { limited: false, continues: false }],
])("the command %j is known to be limited or to continue after errors: %j", async (words, expected) => {
  await isReplaced(...words);
  const { continuesAfterErrors, isLimited } = await import("../../../provider/session/engine-command.js");
  expect({ limited: isLimited(), continues: continuesAfterErrors() }).toEqual(expected);
});

test.each([
  ["PULUMI_OPTION_TARGET", URN, { limited: true, continues: false }],
  ["PULUMI_OPTION_CONTINUE_ON_ERROR", "true", { limited: false, continues: true }],
  ["PULUMI_CONTINUE_ON_ERROR", "1", { limited: false, continues: true }],
  ["PULUMI_CONTINUE_ON_ERROR", "false", { limited: false, continues: false }],
])("the option in %s=%s limits the run or lets it continue: %j", async (name, value, expected) => {
  vi.stubEnv(name, value);
  await isReplaced("up");
  const { continuesAfterErrors, isLimited } = await import("../../../provider/session/engine-command.js");
  expect({ limited: isLimited(), continues: continuesAfterErrors() }).toEqual(expected);
});
