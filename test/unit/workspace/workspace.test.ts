import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { engineOf, pulumiOnPath, Workspace, type WorkspaceOptions } from "../../../testing/workspace";

// Replaces the CLI: records its calls, and writes the beginning of an event log.
const STAND_IN = `#!${process.execPath}
const { appendFileSync, writeFileSync } = require("node:fs");
const args = process.argv.slice(2);
appendFileSync(process.env.SEEN, JSON.stringify({ args, env: process.env, cwd: process.cwd() }) + "\\n");
const log = args[args.indexOf("--event-log") + 1];
if (args.includes("--event-log")) {
  writeFileSync(log, JSON.stringify({ sequence: 0, timestamp: 0, summaryEvent: { resourceChanges: { create: 1 } } }) + "\\n");
}
console.log("printed");
console.error("complained");
if (process.env.HANG) setInterval(() => {}, 1000);
process.exitCode = Number(process.env.EXIT ?? 0);
`;

interface Seen {
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

describe("a workspace", () => {
  let bin = "";
  let workspace: Workspace | undefined;
  const path = process.env.PATH;

  beforeAll(() => {
    bin = mkdtempSync(join(tmpdir(), "keyplane-bin-"));
    writeFileSync(join(bin, "pulumi"), STAND_IN);
    chmodSync(join(bin, "pulumi"), 0o755);
    process.env.PATH = `${bin}${delimiter}${path}`;
    process.env.KEYPLANE_API_KEY = "of the developer";
    process.env.PULUMI_ACCESS_TOKEN = "of the developer";
  });
  afterAll(() => {
    process.env.PATH = path;
    delete process.env.KEYPLANE_API_KEY;
    delete process.env.PULUMI_ACCESS_TOKEN;
    rmSync(bin, { recursive: true });
  });
  afterEach(async () => {
    await workspace?.remove();
    rmSync(join(bin, "seen"), { force: true });
  });

  const create = async (options: Partial<WorkspaceOptions> = {}) => {
    const env = { SEEN: join(bin, "seen"), ...options.env };
    workspace = await Workspace.create({ program: { "index.js": "" }, engine: "cli", ...options, env });
    return workspace;
  };
  const seen = () => {
    const lines = readFileSync(join(bin, "seen"), "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Seen);
  };

  test("passes a command line to the engine, with its own home, backend and passphrase", async () => {
    const made = await create();
    const { directory } = made;
    const result = await made.up({ args: ["--refresh"] });
    const [init, up] = seen();
    expect(init?.args).toEqual(["stack", "init", "dev", "--secrets-provider", "passphrase", "--non-interactive"]);
    const eventLog = join(directory, "events-1.jsonl");
    const where = ["--stack", "dev", "--cwd", join(directory, "program"), "--non-interactive"];
    expect(up?.args).toEqual(["up", ...where, "--yes", "--skip-preview", "--event-log", eventLog, "--refresh"]);
    expect(up?.cwd).toBe(join(directory, "program"));
    expect(up?.env).toMatchObject({
      PULUMI_HOME: join(directory, "home"),
      PULUMI_BACKEND_URL: `file://${directory}/backend`,
      PULUMI_SKIP_UPDATE_CHECK: "true",
    });
    expect(JSON.stringify(up?.env), "nothing of the developer's own").not.toContain("of the developer");
    expect(result).toMatchObject({ exit: 0, stdout: "printed\n", stderr: "complained\n" });
    expect(result.summary?.resourceChanges).toEqual({ create: 1 });
  });

  test("throws an error with the output of a failed run, unless the run may fail", async () => {
    const made = await create();
    const env = { EXIT: "255" };
    await expect(made.up({ env })).rejects.toThrow("up failed (exit code 255)\nprinted\n\ncomplained");
    expect(await made.up({ env, mayFail: true })).toMatchObject({ exit: 255, signal: null });
  });

  test("kills the engine on request and after a timeout", async () => {
    const made = await create();
    const run = made.start("up", { env: { HANG: "yes" } });
    run.child.stdout?.once("data", () => run.kill());
    expect(await run.done).toMatchObject({ exit: null, signal: "SIGKILL" });
    await expect(made.up({ env: { HANG: "yes" }, timeoutMs: 300 })).rejects.toThrow("up took longer than 300 ms");
  });

  test("ends the remaining processes of a run when it is removed", async () => {
    const made = await create();
    const run = made.start("up", { env: { HANG: "yes" } });
    await new Promise((resolve) => run.child.stdout?.once("data", resolve));
    await made.remove();
    expect(await run.done).toMatchObject({ signal: "SIGKILL" });
    expect(existsSync(made.directory)).toBe(false);
  });

  test("encrypts its secret configuration, and decrypts the state only on request", async () => {
    const made = await create({ config: { size: "3" }, secretConfig: { "keyplane:apiKey": "hidden-token" } });
    const config = readFileSync(join(made.programDirectory, "Pulumi.dev.yaml"), "utf8");
    expect(config).toMatch(/^encryptionsalt: v1:.*\nconfig:\n[\s\S]*keyplane:apiKey:\n {4}secure: v1:/);
    expect(config).toContain("proj:size:");
    expect(config).not.toContain("hidden-token");
    expect(await made.exportState()).toMatchObject({ version: 3, deployment: {} });
    expect(await made.outputs({ showSecrets: true })).toEqual({});
  });

  test("copies a program's folder without stacks and packages, which the copy still finds", async () => {
    const source = mkdtempSync(join(__dirname, ".tmp-"));
    try {
      writeFileSync(join(source, "Pulumi.yaml"), "name: copied\nruntime: nodejs\n");
      writeFileSync(join(source, "Pulumi.dev.yaml"), "encryptionsalt: of another passphrase\n");
      writeFileSync(join(source, "index.js"), "");
      const made = await create({ program: source, packages: { probe: join(__dirname, "../../conformance/probe") } });
      expect(made.project).toBe("copied");
      expect(readFileSync(join(made.programDirectory, "Pulumi.dev.yaml"), "utf8")).not.toContain("another");
      const resolve = (name: string) => require.resolve(name, { paths: [made.programDirectory] });
      expect(resolve("probe/provider")).toBe(join(__dirname, "../../conformance/probe/provider.js"));
      expect(resolve("@pulumi/pulumi")).toBe(require.resolve("@pulumi/pulumi"));
      expect(resolve("keyplane/package.json")).toBe(join(__dirname, "../../../package.json"));
    } finally {
      rmSync(source, { recursive: true });
    }
  });

  test("replaces the whole folder of a program, but keeps the stack's configuration", async () => {
    const source = mkdtempSync(join(__dirname, ".tmp-"));
    try {
      writeFileSync(join(source, "index.ts"), "");
      writeFileSync(join(source, "Pulumi.dev.yaml"), "config: { proj:of: another }\n");
      const made = await create({
        config: { size: "3" },
        packages: { probe: join(__dirname, "../../conformance/probe") },
      });
      await made.setProgram(source);
      const has = (name: string) => existsSync(join(made.programDirectory, name));
      expect([has("index.js"), has("index.ts"), has("Pulumi.yaml")]).toEqual([false, true, true]);
      expect(has("node_modules/probe/provider.js"), "the packages").toBe(true);
      expect(readFileSync(join(made.programDirectory, "Pulumi.dev.yaml"), "utf8")).toMatch(/proj:size: "3"\n$/);
    } finally {
      rmSync(source, { recursive: true });
    }
  });

  test("leaves no folder behind if it cannot be created", async () => {
    const source = mkdtempSync(join(tmpdir(), "no-packages-"));
    const folders = () => readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, "program", "alone")));
    try {
      writeFileSync(join(source, "alone"), "");
      await expect(create({ program: source })).rejects.toThrow(`@pulumi/pulumi is not installed at ${source}`);
      expect(folders()).toEqual([]);
    } finally {
      rmSync(source, { recursive: true });
    }
  });

  test("finds the CLI on the PATH, and accepts only the names of the two engines", () => {
    expect(pulumiOnPath()).toBe(join(bin, "pulumi"));
    expect(pulumiOnPath({ PATH: "/nowhere" })).toBeUndefined();
    const holder = mkdtempSync(join(tmpdir(), "no-cli-"));
    try {
      mkdirSync(join(holder, "pulumi"));
      expect(pulumiOnPath({ PATH: holder }), "a folder of that name is not the CLI").toBeUndefined();
    } finally {
      rmSync(holder, { recursive: true });
    }
    expect(engineOf({})).toBe("embedded");
    expect(engineOf({ KEYPLANE_ENGINE: "cli" })).toBe("cli");
    expect(() => engineOf({ KEYPLANE_ENGINE: "other" })).toThrow("must be `embedded` or `cli`");
  });
});
