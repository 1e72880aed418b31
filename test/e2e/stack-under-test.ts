import { join } from "node:path";
import {
  type ControlPlane,
  drivenTime,
  engineOf,
  type RunOptions,
  type RunResult,
  type WorkspaceOptions,
} from "keyplane/testing";
import { expect } from "vitest";
import { endProcesses } from "../../testing/workspace/processes";
import { pluginForPreloads } from "../plugin-folder";
import { ExampleRun } from "./run-example";

/** Whether the tests run on the real CLI. A test of what only it has says so in its `describe`, and is skipped otherwise. */
export const ON_CLI = engineOf(process.env) === "cli";

/** A front end of keyplane. */
export type FrontEnd = "npm package" | "plugin";

/** Both front ends, for tests that hold for each. */
export const FRONT_ENDS: readonly FrontEnd[] = ["npm package", "plugin"];

/** The packages with the classes of the resources, and the type that URNs contain. */
export const SDK = {
  "npm package": { module: "keyplane", type: "pulumi-nodejs:dynamic/keyplane" },
  plugin: { module: "plugin-sdk", type: "keyplane:index" },
} as const;

export const POST = "POST /api_keys";
export const LIST = "GET /api_keys";
export const DELETE = "DELETE /api_keys/{key_id}";

/** A program of either front end, with consumers that fail on demand and report which key they have. */
export class StackUnderTest {
  private constructor(
    readonly run: ExampleRun,
    readonly plane: ControlPlane,
    readonly frontEnd: FrontEnd,
  ) {}

  static async create(
    frontEnd: FrontEnd,
    plane: ControlPlane,
    program: string,
    options: Omit<WorkspaceOptions, "program" | "packages" | "plugins"> = {},
  ): Promise<StackUnderTest> {
    const { packages, plugins } = optionsFor(frontEnd);
    const run = await ExampleRun.create(
      plane,
      { "index.js": headOf(frontEnd) + program },
      {
        ...options,
        packages: { ...packages, consumer: join(__dirname, "consumer") },
        plugins,
        config: { reportTo: plane.url, ...options.config },
      },
    );
    return new StackUnderTest(run, plane, frontEnd);
  }

  setProgram(program: string): Promise<void> {
    return this.run.workspace.setProgram({ "index.js": headOf(this.frontEnd) + program });
  }

  urn(kind: "ApiKey" | "RotatingApiKey", name: string): string {
    return `urn:pulumi:${this.run.workspace.stack}::proj::${SDK[this.frontEnd].type}:${kind}::${name}`;
  }

  /** An `up` in which every consumer accepts its key. */
  up(options: RunOptions = {}): Promise<RunResult> {
    return this.upWith("", options);
  }

  /** An `up` of a program, in which every consumer accepts its key. */
  async deploy(program: string, options: RunOptions = {}): Promise<RunResult> {
    await this.setProgram(program);
    return this.up(options);
  }

  /** An `up` in which the named consumers fail if they get another key. */
  async failingUp(consumers: string, options: RunOptions = {}): Promise<RunResult> {
    const result = await this.upWith(consumers, { ...options, mayFail: true });
    expect(result.exit, "a consumer fails").not.toBe(0);
    return result;
  }

  /** The ids of the live keys, oldest first. */
  async live(): Promise<string[]> {
    return (await this.plane.liveKeys()).map(({ id }) => String(id)).sort();
  }

  /** The ids of the keys that the state has, also those that are still to be revoked. */
  async held(): Promise<string[]> {
    const { resources = [] } = (await this.run.workspace.exportState()).deployment;
    const ids = resources.flatMap(({ outputs = {} }) => {
      const { keyId, previousKeyId, pendingRevocations } = outputs;
      return [keyId, previousKeyId, pendingRevocations].flat().filter((id) => typeof id === "string");
    });
    return [...new Set(ids)].sort();
  }

  /** Checks that the live keys are those that the state has. Returns their ids, oldest first. */
  async expectLiveIsHeld(): Promise<string[]> {
    const live = await this.live();
    expect(await this.held()).toEqual(live);
    return live;
  }

  /** What happened to the keys, and which of them a consumer received, in order: `made 7`, `holds 7`, `revoked 7`. */
  async history(): Promise<string[]> {
    const words: Readonly<Record<string, string>> = { "key-created": "made", "key-revoked": "revoked" };
    return (await this.plane.log()).flatMap(({ query, effects }) => {
      const [, held] = /^holds=(\w+)$/.exec(query) ?? [];
      if (held !== undefined) return [`holds ${held}`];
      return effects.flatMap((effect) =>
        effect.kind in words && "id" in effect ? [`${words[effect.kind]} ${effect.id}`] : [],
      );
    });
  }

  /**
   * Kills the engine and all that it has started, as soon as the service holds this many requests. Ten minutes pass before
   * and after it: a key that is no older than a process can be its own, and a run that succeeded may have handed it out.
   */
  async killWhenParked(command: "up" | "destroy" = "up", { requests = 1, args = [] as readonly string[] } = {}) {
    await this.plane.clock.advance(600_000);
    const { done, kill } = this.run.workspace.start(command, { env: await drivenTime(this.plane), args });
    await this.plane.held.wait(requests, 60_000);
    await this.kill(kill, done);
    await this.plane.held.drop();
  }

  /** Kills a run with all its processes, and removes its lock. */
  async kill(kill: () => void, done: Promise<unknown>): Promise<void> {
    endProcesses(this.run.workspace.processes());
    kill();
    await done;
    await this.run.workspace.cancel();
    await this.plane.clock.advance(600_000);
  }

  /** The requests that the action sends, without those of consumers. */
  async requestsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    return (await this.run.requestsOf(work)).filter((request) => !request.includes("/auth"));
  }

  /** How often the action sends each request. */
  async countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const requests = await this.requestsOf(work);
    return Object.fromEntries(
      [...new Set(requests)].map((one) => [one, requests.filter((each) => each === one).length]),
    );
  }

  private async upWith(failing: string, options: RunOptions): Promise<RunResult> {
    await this.run.workspace.setConfig("failing", failing);
    return this.run.run("up", options);
  }
}

/** What the workspace of a program needs. */
export function optionsFor(frontEnd: FrontEnd): Required<Pick<WorkspaceOptions, "packages" | "plugins">> {
  if (frontEnd === "npm package") return { packages: {}, plugins: {} };
  return {
    packages: { "plugin-sdk": join(__dirname, "..", "plugin-sdk") },
    plugins: { keyplane: pluginForPreloads() },
  };
}

function headOf(frontEnd: FrontEnd): string {
  return `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey, Provider } = require("${SDK[frontEnd].module}");
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
