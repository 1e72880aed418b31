import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newOwnerId } from "../../../provider/plugin/owner";
import { plannedInput, plannedSeed } from "../../../provider/stack/plan";

const URN = "urn:pulumi:dev::proj::pulumi:providers:keyplane::default";
const ID = "3b241101-e2bb-4255-8caf-4136c566a962";
const at = (urn: string) => `${ID}.account|${Buffer.from(urn).toString("base64url")}`;
const COMMAND = {
  cli: "pulumi",
  stack: undefined,
  isInDoubt: false,
  isLimited: false,
  refreshes: "never" as const,
  isDestroy: false,
  usesPlan: true,
};

let folder = "";
const processes: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyplane-plan-"));
});

afterEach(async () => {
  for (const child of processes.splice(0)) child.kill("SIGKILL");
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** A process that stands for the CLI. */
async function startCli(cwd = folder): Promise<number> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)"], { stdio: "ignore", cwd });
  processes.push(child);
  await once(child, "spawn");
  return Number(child.pid);
}

const planOf = (inputDiff: unknown, urn = URN) => JSON.stringify({ resourcePlans: { [urn]: { goal: { inputDiff } } } });

describe("a run with the file of a plan", () => {
  test.each([
    ["a new resource", { adds: { __owner: at(URN) } }],
    ["a resource of a copied stack", { updates: { __owner: at(URN) } }],
  ])("gives the provider of %s the owner of the preview", async (_, inputDiff) => {
    await writeFile(join(folder, "plan.json"), planOf(inputDiff));
    const command = { ...COMMAND, plan: "plan.json", pid: await startCli() };
    expect(newOwnerId(URN, command)).toBe(ID);
  });

  test.each([
    ["is no file", undefined],
    ["is no plan", "[]"],
    ["is broken", "{"],
    ["has another stack's resources", planOf({ adds: { __owner: at(URN) } }, URN.replace("dev", "prod"))],
    ["has an owner of another stack", planOf({ adds: { __owner: at(URN.replace("dev", "prod")) } })],
    ["has no owner", planOf({ adds: { concurrency: 4 } })],
  ])("gives it another owner if the plan %s", async (_, text) => {
    if (text !== undefined) await writeFile(join(folder, "plan.json"), text);
    const command = { ...COMMAND, plan: "plan.json", pid: await startCli() };
    expect(newOwnerId(URN, command)).toMatch(/^(?!3b241101)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test("finds the file from the shell's working folder if that of the CLI is not known", async () => {
    await mkdir(join(folder, "program"));
    await writeFile(join(folder, "plan.json"), planOf({ adds: { __owner: at(URN) } }));
    vi.stubEnv("PWD", folder);
    expect(plannedInput({ plan: "plan.json", pid: undefined, usesPlan: true }, URN, "__owner")).toBe(at(URN));
    expect(plannedInput({ plan: undefined, pid: undefined, usesPlan: true }, URN, "__owner")).toBeUndefined();
  });
});

describe("a run whose plan is in the memory of the CLI", () => {
  test("has the owner of its preview, which no other run and no other resource has", async () => {
    const [one, other] = [await startCli(), await startCli()];
    const ownerIn = (pid: number, urn = URN) => newOwnerId(urn, { ...COMMAND, plan: undefined, pid });
    expect(ownerIn(one)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(ownerIn(one)).toBe(ownerIn(one));
    expect(new Set([ownerIn(one), ownerIn(other), ownerIn(one, URN.replace("default", "eu"))]).size).toBe(3);
  });

  test("has a random owner if the CLI was not found, or without a plan", async () => {
    const pid = await startCli();
    expect(plannedSeed({ usesPlan: true, pid: undefined, plan: undefined })).toBeUndefined();
    expect(plannedSeed({ usesPlan: false, pid, plan: undefined })).toBeUndefined();
    const unknown = { ...COMMAND, plan: undefined, pid: undefined };
    expect(newOwnerId(URN, unknown)).not.toBe(newOwnerId(URN, unknown));
  });
});
