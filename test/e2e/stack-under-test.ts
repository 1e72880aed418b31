import { join, resolve } from "node:path";
import {
  type ControlPlane,
  drivenTime,
  type EngineCommandName,
  engineOf,
  type RunOptions,
  type RunResult,
  searchSecrets,
  Workspace,
  type WorkspaceOptions,
} from "keyplane/testing";
import { expect } from "vitest";
import { endProcesses } from "../../testing/workspace/processes";
import { pluginForPreloads } from "../plugin-folder";

/** The repository's examples. */
export const examples = join(__dirname, "..", "..", "examples");

const DERIVED_KEYS = join(__dirname, "..", "derived-keys.cjs");

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

/** A stack of a whole program at a control plane, on either engine. It collects the output, to search it for secrets. */
export class StackUnderTest {
  /** What its commands have printed. */
  readonly printed: Record<string, string> = {};

  private constructor(
    readonly workspace: Workspace,
    readonly plane: ControlPlane,
    readonly frontEnd: FrontEnd,
  ) {}

  /** Prepares a program, a folder with one, or an example by the name of its folder. */
  static async of(
    plane: ControlPlane,
    program: string | Record<string, string>,
    options: Omit<WorkspaceOptions, "program"> = {},
    frontEnd: FrontEnd = "npm package",
  ): Promise<StackUnderTest> {
    const workspace = await Workspace.create({
      ...options,
      program: typeof program === "string" ? resolve(examples, program) : program,
      config: { "keyplane:baseUrl": plane.url, ...options.config },
      secretConfig: { "keyplane:apiKey": plane.apiKey, ...options.secretConfig },
      // Types are checked with all others; checking them again in every run costs a second each.
      env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true", ...options.env },
    });
    return new StackUnderTest(workspace, plane, frontEnd);
  }

  /** Prepares a program of either front end, with consumers that fail on demand and report which key they have. */
  static create(
    frontEnd: FrontEnd,
    plane: ControlPlane,
    program: string,
    options: Omit<WorkspaceOptions, "program" | "packages" | "plugins"> = {},
  ): Promise<StackUnderTest> {
    const { packages, plugins } = optionsFor(frontEnd);
    const given = {
      ...options,
      packages: { ...packages, consumer: join(__dirname, "consumer") },
      plugins,
      config: { reportTo: plane.url, ...options.config },
    };
    return StackUnderTest.of(plane, { "index.js": headOf(frontEnd) + program }, given, frontEnd);
  }

  /** Runs a command with the control plane's clock. */
  async run(command: EngineCommandName, options: RunOptions = {}): Promise<RunResult> {
    const driven = await drivenTime(this.plane);
    const env = {
      ...driven,
      NODE_OPTIONS: `${driven.NODE_OPTIONS} --require ${JSON.stringify(DERIVED_KEYS)}`,
      DERIVED_KEYS: this.workspace.directory,
      ...options.env,
    };
    const result = await this.workspace.run(command, { inProcess: true, ...options, env });
    this.collect(command, result);
    return result;
  }

  /** Collects what a command has printed. */
  collect(command: string, { stdout, stderr }: Pick<RunResult, "stdout" | "stderr">): void {
    this.printed[`output of command ${Object.keys(this.printed).length + 1}, ${command}`] = stdout + stderr;
  }

  /** Runs a command that must have nothing to do. */
  async runIdle(command: "up" | "preview" | "refresh"): Promise<void> {
    expect((await this.run(command)).changes).toEqual([]);
  }

  /** Where files or output of the stack show a secret that was ever issued. */
  async secretsShown(issuedBefore: readonly string[] = []) {
    const issued = new Set([...issuedBefore, ...(await this.plane.secretsEverIssued())]);
    const secrets = Object.fromEntries([...issued].map((secret, index) => [`secret ${index}`, secret]));
    return searchSecrets(secrets, { paths: [this.workspace.directory], texts: this.printed });
  }

  async expectNoSecrets(): Promise<void> {
    expect(await this.secretsShown()).toEqual([]);
  }

  /** Destroys the stack, and checks that no key stays live and no secret was disclosed. */
  async destroy(): Promise<void> {
    await this.run("destroy");
    expect(await this.plane.liveKeys()).toEqual([]);
    await this.expectNoSecrets();
  }

  setProgram(program: string): Promise<void> {
    return this.workspace.setProgram({ "index.js": headOf(this.frontEnd) + program });
  }

  urn(kind: "ApiKey" | "RotatingApiKey", name: string): string {
    return `urn:pulumi:${this.workspace.stack}::proj::${SDK[this.frontEnd].type}:${kind}::${name}`;
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
    return (await this.plane.liveKeys()).map(({ id }) => String(id)).sort(byNumber);
  }

  /** The ids of the keys that the state has, also those that are still to be revoked. */
  async held(): Promise<string[]> {
    const { resources = [] } = (await this.workspace.exportState()).deployment;
    const ids = resources.flatMap(({ outputs = {} }) => {
      const { keyId, previousKeyId, pendingRevocations } = outputs;
      return [keyId, previousKeyId, pendingRevocations].flat().filter((id) => typeof id === "string");
    });
    return [...new Set(ids)].sort(byNumber);
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
    const { done, kill } = this.workspace.start(command, { env: await drivenTime(this.plane), args });
    await this.plane.held.wait(requests, 60_000);
    await this.kill(kill, done);
    await this.plane.held.drop();
  }

  /** Kills a run with all its processes, and removes its lock. */
  async kill(kill: () => void, done: Promise<unknown>): Promise<void> {
    endProcesses(this.workspace.processes());
    kill();
    await done;
    await this.workspace.cancel();
    await this.plane.clock.advance(600_000);
  }

  /** The requests that the action sends, as `METHOD /route`, without those of consumers. */
  async requestsOf(work: () => Promise<unknown>): Promise<string[]> {
    const since = (await this.plane.log()).length;
    await work();
    const requests = (await this.plane.log({ since })).filter(({ query }) => !query.startsWith("holds="));
    return requests.map(({ method, route, path }) => `${method} ${route ?? path}`);
  }

  /** How often the action sends each request. */
  async countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const requests = await this.requestsOf(work);
    return Object.fromEntries(
      [...new Set(requests)].map((one) => [one, requests.filter((each) => each === one).length]),
    );
  }

  private async upWith(failing: string, options: RunOptions): Promise<RunResult> {
    await this.workspace.setConfig("failing", failing);
    return this.run("up", options);
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

/** Ids are numbers, and later keys have larger ones. */
const byNumber = (one: string, other: string) => Number(one) - Number(other);

/** All messages of a run. */
export function messagesOf({ diagnostics }: Pick<RunResult, "diagnostics">): string {
  return diagnostics.map(({ message }) => message).join("\n");
}
