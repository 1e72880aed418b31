import { join } from "node:path";
import type { ControlPlane, RunOptions, RunResult, WorkspaceOptions } from "keyplane/testing";
import { expect } from "vitest";
import { nextSecond } from "../next-second";
import { pluginFolder } from "../plugin-folder";
import { hostsOf } from "./hosts";
import { ExampleRun } from "./run-example";

/** A front end of keyplane. */
export type FrontEnd = "npm package" | "plugin";

/** Both front ends, for tests that hold for each. */
export const FRONT_ENDS: readonly FrontEnd[] = ["npm package", "plugin"];

/** The packages with the classes of the resources, and the type that URNs contain. */
export const SDK = {
  "npm package": { module: "keyplane", type: "pulumi-nodejs:dynamic/keyplane" },
  plugin: { module: "plugin-sdk", type: "keyplane:index" },
} as const;

/** A program of either front end, with consumers that fail on demand and report which key they have. */
export class StackUnderTest {
  private constructor(
    readonly run: ExampleRun,
    readonly plane: ControlPlane,
    readonly frontEnd: FrontEnd,
  ) {}

  static async create(frontEnd: FrontEnd, plane: ControlPlane, program: string): Promise<StackUnderTest> {
    const { packages, plugins } = optionsFor(frontEnd);
    const options = { packages: { ...packages, consumer: join(__dirname, "consumer") }, plugins };
    const run = await ExampleRun.create(
      plane,
      { "index.js": headOf(frontEnd) + program },
      {
        ...options,
        config: { reportTo: plane.url },
      },
    );
    return new StackUnderTest(run, plane, frontEnd);
  }

  setProgram(program: string): Promise<void> {
    return this.run.workspace.setProgram({ "index.js": headOf(this.frontEnd) + program });
  }

  urn(kind: "ApiKey" | "RotatingApiKey", name: string, stack = "dev"): string {
    return `urn:pulumi:${stack}::proj::${SDK[this.frontEnd].type}:${kind}::${name}`;
  }

  /** An `up` in which every consumer accepts its key. In its own process, like a user's. */
  up(options: RunOptions = {}): Promise<RunResult> {
    return this.upWith("", options);
  }

  /** An `up` in which the named consumers fail if they get another key. */
  async failingUp(consumers: string, options: RunOptions = {}): Promise<RunResult> {
    const result = await this.upWith(consumers, { ...options, mayFail: true });
    if (result.exit === 0) throw new Error("no consumer failed");
    return result;
  }

  /** The ids of the live keys, oldest first. */
  async live(): Promise<string[]> {
    return (await this.plane.liveKeys()).map(({ id }) => String(id)).sort();
  }

  /** Kills the engine and all that it has started, as soon as the service holds a request. */
  async killAllWhenParked(command: "up" | "destroy" = "up"): Promise<void> {
    await nextSecond();
    const { done, kill } = this.run.workspace.start(command, { env: {} });
    await this.plane.held.wait(1, 60_000);
    for (const pid of this.run.workspace.processes()) process.kill(pid, "SIGKILL");
    kill();
    await done;
    await this.plane.held.drop();
    await this.run.workspace.cancel();
    await nextSecond();
  }

  /** Kills the engine alone as soon as the service holds a request, lets the request go on, and waits for the rest. */
  async killEngineWhenParked(command: "up" | "destroy" = "up"): Promise<void> {
    await nextSecond();
    const { done, kill } = this.run.workspace.start(command);
    await this.plane.held.wait(1, 60_000);
    kill();
    await this.plane.held.release();
    await done;
    await expect.poll(() => hostsOf(this.run.workspace), { timeout: 40_000 }).toEqual([]);
    await this.run.workspace.cancel();
    await nextSecond();
  }

  async requestsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    return (await this.run.requestsOf(work)).filter((request) => !request.includes("/auth"));
  }

  /** An `up` in which the named consumers fail if they get another key. It may succeed. */
  async upWith(failing: string, options: RunOptions): Promise<RunResult> {
    await this.run.workspace.setConfig("failing", failing);
    return this.run.run("up", { inProcess: false, ...options });
  }
}

/** What the workspace of a program needs. */
export function optionsFor(frontEnd: FrontEnd): Required<Pick<WorkspaceOptions, "packages" | "plugins">> {
  if (frontEnd === "npm package") return { packages: {}, plugins: {} };
  return { packages: { "plugin-sdk": join(__dirname, "..", "plugin-sdk") }, plugins: { keyplane: pluginFolder() } };
}

function headOf(frontEnd: FrontEnd): string {
  return `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey } = require("${SDK[frontEnd].module}");
const { Consumer } = require("consumer");
const config = new pulumi.Config();
const failing = (config.get("failing") ?? "").split(",");
const consumer = (name, key, options) => {
  const inputs = { keyId: key.keyId, reportTo: config.require("reportTo"), fail: failing.includes(name) };
  return new Consumer(name, inputs, options);
};
`;
}

/** All messages of a run. */
export function messagesOf({ diagnostics }: Pick<RunResult, "diagnostics">): string {
  return diagnostics.map(({ message }) => message).join("\n");
}
