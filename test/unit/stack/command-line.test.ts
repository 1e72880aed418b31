import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { engineCommand, refreshesAlways } from "../../../provider/stack/command-line";

const URN = "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci";

/** What these words after the CLI's name mean. */
const command = (words: readonly string[] | undefined, env: NodeJS.ProcessEnv = {}) =>
  engineCommand(env, { cli: "pulumi", words });

describe("a command that can leave a consumer with the old key", () => {
  test.each([
    [["up", "--target", URN]],
    [["up", `--target=${URN}`]],
    [["up", "-t", URN]],
    [["up", `-t${URN}`]],
    [["up", `-t=${URN}`]],
    [["up", "-yft", URN]],
    [["up", "-yf", `-t${URN}`]],
    [["up", `-yrt${URN}`]],
    [["up", "--target-replace", URN, "--yes"]],
    [["up", `--target-replace=${URN}`]],
    [["up", "--target", "urn:pulumi:dev::proj::t::with a space, and a comma"]],
    [["up", "--exclude", URN]],
    [["up", "-x", URN]],
    [["up", "-yfx", URN]],
    [["destroy", "--exclude-protected"]],
    [["up", "--continue-on-error"]],
    [["up", "--continue-on-error=true"]],
    [["up", "--continue-on-error=1"]],
    [["-C", "app", "up", "--continue-on-error"]],
  ])("is %j", (words) => {
    const { isInDoubt, isLimited } = command(words);
    expect(isInDoubt).toBe(true);
    expect(isLimited).toBe(!words.some((word) => word.startsWith("--continue")));
  });

  test.each([
    ["PULUMI_OPTION_TARGET", URN],
    ["PULUMI_OPTION_TARGET_REPLACE", URN],
    ["PULUMI_OPTION_EXCLUDE", URN],
    ["PULUMI_OPTION_CONTINUE_ON_ERROR", "true"],
    ["PULUMI_CONTINUE_ON_ERROR", "1"],
    ["PULUMI_CONTINUE_ON_ERROR", "T"],
  ])("is one under %s=%s", (name, value) => {
    const { isInDoubt, isLimited, goesOn } = command(["up"], { [name]: value });
    expect(isInDoubt).toBe(true);
    expect(goesOn).toBe(name.includes("CONTINUE"));
    expect(isLimited).toBe(!name.includes("CONTINUE"));
  });

  test("is `pulumi do`, which leaves all other resources out, except without a stack", () => {
    const isLimited = (...words: string[]) => command(words).isLimited;
    expect(isLimited("do", "keyplane:index:ApiKey", "upsert", "ci", "--yes")).toBe(true);
    expect(isLimited("do", "keyplane:index:ApiKey", "delete", "1", "--stateless")).toBe(false);
    expect(isLimited("up", "-m", "do")).toBe(false);
  });

  test("is one that cannot be read", () => {
    expect(command(undefined)).toEqual({
      cli: "pulumi",
      stack: undefined,
      isInDoubt: true,
      isLimited: false,
      goesOn: false,
      refreshes: "never",
      isDestroy: false,
      usesPlan: true,
      plan: undefined,
      pid: undefined,
    });
  });
});

test.each<[readonly string[], NodeJS.ProcessEnv, string]>([
  [["up"], {}, "never"],
  [["up", "--refresh=false"], {}, "never"],
  [["up", "--run-program"], {}, "never"],
  [["up", "--refresh"], {}, "before"],
  [["up", "--refresh=true"], {}, "before"],
  [["up", "-r"], {}, "before"],
  [["up", "-yrf"], {}, "before"],
  [["up"], { PULUMI_OPTION_REFRESH: "true" }, "before"],
  [["up", "-r", "--run-program"], {}, "between"],
  [["up", "--refresh"], { PULUMI_RUN_PROGRAM: "1" }, "between"],
])("%j with %j refreshes resources: %s", (words, env, refreshes) => {
  expect(command(words, env).refreshes).toBe(refreshes);
});

test.each([
  ["Pulumi.yaml", "name: proj\noptions:\n  refresh: always\n", true],
  ["Pulumi.json", '{ "options": { "refresh": "always" } }', true],
  ["Pulumi.yaml", "name: proj\nruntime: nodejs\n", false],
])("a project whose %s is %j refreshes in every run: %s", async (name, text, isAlways) => {
  const folder = await mkdtemp(join(tmpdir(), "project-"));
  try {
    await writeFile(join(folder, name), text);
    await mkdir(join(folder, "program"));
    expect(refreshesAlways(join(folder, "program"))).toBe(isAlways);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe("a command that reaches every consumer", () => {
  test.each([
    [["up"]],
    [["up", "--yes", "--skip-preview"]],
    [["up", "-yfs", "dev"]],
    [["up", "-yfsdev-extra"]],
    [["up", "--continue-on-error=false"]],
    [["up", "--continue-on-error=0"]],
    [["up", "--replace", URN]],
    [["up", "--target-dependents", "--exclude-dependents"]],
    [["up", "-m", "text", "-p", "4", "-c", "a:b=c"]],
    [["up", "-ctext"]],
    [["up", "--refresh=true", "-r"]],
  ])("is %j", (words) => {
    expect(command(words).isInDoubt).toBe(false);
  });

  test.each([
    ["PULUMI_CONTINUE_ON_ERROR", "false"],
    ["PULUMI_CONTINUE_ON_ERROR", "0"],
    ["PULUMI_OPTION_CONTINUE_ON_ERROR", ""],
    ["PULUMI_OPTION_REPLACE", URN],
  ])("is one under %s=%s", (name, value) => {
    expect(command(["up"], { [name]: value }).isInDoubt).toBe(false);
  });
});

test.each([
  [["up", "--stack", "dev"], "dev"],
  [["up", "--stack=acme/proj/dev"], "acme/proj/dev"],
  [["up", "-s", "dev"], "dev"],
  [["up", "-sdev"], "dev"],
  [["up", "-s=dev"], "dev"],
  [["up", "-yfs", "dev"], "dev"],
  [["up", "-yfsdev"], "dev"],
  [["--stack", "dev", "up"], "dev"],
  [["up", "--skip-preview", "-y"], ""],
  [["up", "-m", "dev"], ""],
  [["up", "--stack"], ""],
])("the stack that %j names is %j", (words, stack) => {
  expect(command(words).stack).toBe(stack);
});

test.each([
  [["destroy"], true],
  [["down", "--yes"], true],
  [["dn"], true],
  [["-C", "up", "destroy"], true],
  [["--cwd=up", "destroy"], true],
  [["--non-interactive", "-Q", "-e", "destroy"], true],
  [["--color", "never", "destroy"], true],
  [["up"], false],
  [["-C", "destroy", "up"], false],
  [["--cwd", "destroy", "up"], false],
  [["--stack", "destroy", "up"], false],
  [["-s", "destroy", "up"], false],
  [["up", "-s", "destroy"], false],
  [["up", "destroy"], false],
  [[], false],
])("%j destroys the stack: %s", (words, isDestroy) => {
  expect(command(words).isDestroy).toBe(isDestroy);
});

test.each<[string[], NodeJS.ProcessEnv, boolean]>([
  [["up", "--plan", "plan.json"], {}, true],
  [["preview", "--save-plan=plan.json"], {}, true],
  [["up", "--strict"], {}, true],
  [["up", "--strict=false"], {}, false],
  [["up"], { PULUMI_OPTION_PLAN: "plan.json" }, true],
  [["up"], { PULUMI_EXPERIMENTAL: "1" }, true],
  [["up"], { PULUMI_EXPERIMENTAL: "false" }, false],
  [["up"], {}, false],
])("%j under %j compares inputs with a plan: %s", (words, env, usesPlan) => {
  expect(command(words, env).usesPlan).toBe(usesPlan);
});

test.each<[string[], NodeJS.ProcessEnv, string | undefined]>([
  [["up", "--plan", "plan.json"], {}, "plan.json"],
  [["up", "--plan=a=b.json", "--yes"], {}, "a=b.json"],
  [["up", "--plan", "one.json", "--plan=two.json"], {}, "two.json"],
  [["up"], { PULUMI_OPTION_PLAN: "plan.json" }, "plan.json"],
  [["up", "--strict"], { PULUMI_OPTION_PLAN: "" }, undefined],
  [["preview", "--save-plan=plan.json"], {}, undefined],
])("%j under %j has the plan in the file %s", (words, env, plan) => {
  expect(command(words, env).plan).toBe(plan);
});

describe("the process that runs keyplane", () => {
  const parents: ChildProcess[] = [];
  const folders: string[] = [];

  afterEach(async () => {
    for (const parent of parents.splice(0)) parent.kill("SIGKILL");
    vi.restoreAllMocks();
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });

  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), "keyplane-cli-"));
    folders.push(path);
    return path;
  };

  /** What this process reads if it is started by that one, or by one of its children. */
  const startedBy = async (file: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const parent = spawn(file, words, { stdio: "ignore" });
    parents.push(parent);
    await once(parent, "spawn");
    vi.spyOn(process, "ppid", "get").mockReturnValue(Number(parent.pid));
    return engineCommand(env);
  };

  const WAIT = ["-e", "setInterval(() => {}, 60_000)", "--"];

  test("is found by its name, with its whole command line", async () => {
    const pulumi = join(await folder(), "pulumi");
    await copyFile("/bin/sleep", pulumi);
    await chmod(pulumi, 0o755);
    const found = await startedBy(pulumi, ["60"]);
    expect(found).toMatchObject({ cli: pulumi, isInDoubt: false });
  });

  test("is the one that KEYPLANE_PULUMI names, under any path, if it runs this process", async () => {
    const path = await folder();
    const [script, link] = [join(path, "engine.js"), join(path, "link.js")];
    await writeFile(script, "setInterval(() => {}, 60_000)");
    await symlink(script, link);
    const found = await startedBy(process.execPath, [script, "up", "--target", URN], { KEYPLANE_PULUMI: link });
    expect(found).toMatchObject({ cli: link, isInDoubt: true, isDestroy: false });
    expect(await startedBy(process.execPath, [script, "destroy", "-s", "dev"], { KEYPLANE_PULUMI: link })).toEqual({
      ...{
        cli: link,
        stack: "dev",
        isInDoubt: false,
        isLimited: false,
        goesOn: false,
        refreshes: "never",
        isDestroy: true,
        usesPlan: false,
        plan: undefined,
      },
      pid: process.ppid,
    });
  });

  test("cannot be read if no ancestor is the CLI: then the run is in doubt, and the CLI is looked up by name", async () => {
    const found = await startedBy(process.execPath, [...WAIT, "up", "--yes"]);
    expect(found).toMatchObject({ cli: "pulumi", isInDoubt: true, isDestroy: false });
    expect(await startedBy(process.execPath, [...WAIT, "up"], { KEYPLANE_PULUMI: "/opt/pulumi" })).toMatchObject({
      ...{ cli: "/opt/pulumi", isInDoubt: true },
    });
  });

  test("cannot be read if it is gone", () => {
    vi.spyOn(process, "ppid", "get").mockReturnValue(2 ** 30);
    expect(engineCommand({})).toMatchObject({ cli: "pulumi", isInDoubt: true });
  });
});
