import { join } from "node:path";
import {
  type ControlPlane,
  drivenTime,
  type EngineCommandName,
  type RunOptions,
  type RunResult,
  searchSecrets,
  Workspace,
  type WorkspaceOptions,
} from "keyplane/testing";
import { expect } from "vitest";

/** The repository's examples. */
export const examples = join(__dirname, "..", "..", "examples");

const DERIVED_KEYS = join(__dirname, "..", "derived-keys.cjs");

/** One example in its own workspace with a control plane. It collects the output, to search it for secrets. */
export class ExampleRun {
  private readonly printed: Record<string, string> = {};

  private constructor(
    readonly workspace: Workspace,
    readonly plane: ControlPlane,
  ) {}

  /** Prepares a program, or an example by the name of its folder. */
  static async create(
    plane: ControlPlane,
    program: string | Record<string, string>,
    options: Omit<WorkspaceOptions, "program"> = {},
  ): Promise<ExampleRun> {
    const workspace = await Workspace.create({
      ...options,
      program: typeof program === "string" ? join(examples, program) : program,
      config: { "keyplane:baseUrl": plane.url, ...options.config },
      secretConfig: { "keyplane:apiKey": plane.apiKey, ...options.secretConfig },
      // Types are checked with all others; checking them again in every run costs a second each.
      env: { PULUMI_NODEJS_TRANSPILE_ONLY: "true", ...options.env },
    });
    return new ExampleRun(workspace, plane);
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
    const number = Object.keys(this.printed).length + 1;
    this.printed[`output of ${command}, command ${number}`] = result.stdout + result.stderr;
    return result;
  }

  /** Runs a command that must have nothing to do. */
  async runIdle(command: "up" | "preview" | "refresh"): Promise<void> {
    expect((await this.run(command)).changes).toEqual([]);
  }

  /** The requests that the action sends, as `METHOD /route`. */
  async requestsOf(work: () => Promise<unknown>): Promise<string[]> {
    const since = (await this.plane.log()).length;
    await work();
    return (await this.plane.log({ since })).map(({ method, route, path }) => `${method} ${route ?? path}`);
  }

  /** Checks that no file and no output of the run contains any secret that was ever issued. */
  async expectNoSecrets(): Promise<void> {
    const issued = (await this.plane.secretsEverIssued()).map((secret, index): [string, string] => [
      `${index}`,
      secret,
    ]);
    const where = { paths: [this.workspace.directory], texts: this.printed };
    expect(await searchSecrets(Object.fromEntries(issued), where)).toEqual([]);
  }

  /** Destroys the stack, and checks that no key stays live and no secret was disclosed. */
  async destroy(): Promise<void> {
    await this.run("destroy");
    expect(await this.plane.liveKeys()).toEqual([]);
    await this.expectNoSecrets();
  }
}
