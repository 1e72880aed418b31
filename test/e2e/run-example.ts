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

/** One example in a workspace of its own, on a control plane; remembers what was printed, to search it for secrets. */
export class ExampleRun {
  private readonly printed: Record<string, string> = {};

  private constructor(
    readonly workspace: Workspace,
    readonly plane: ControlPlane,
  ) {}

  /** Gets a program ready; an example by its folder's name. */
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

  /** Runs a command on the plane's time. */
  async run(command: EngineCommandName, options: RunOptions = {}): Promise<RunResult> {
    const env = { ...(await drivenTime(this.plane)), ...options.env };
    const result = await this.workspace.run(command, { inProcess: true, ...options, env });
    const number = Object.keys(this.printed).length + 1;
    this.printed[`output of ${command}, command ${number}`] = result.stdout + result.stderr;
    return result;
  }

  /** Runs a command that must find nothing to do. */
  async runIdle(command: "up" | "preview" | "refresh"): Promise<void> {
    expect((await this.run(command)).changes).toEqual([]);
  }

  /** The requests of what is done meanwhile, as `METHOD /route`. */
  async requestsOf(work: () => Promise<unknown>): Promise<string[]> {
    const since = (await this.plane.log()).length;
    await work();
    return (await this.plane.log({ since })).map(({ method, route, path }) => `${method} ${route ?? path}`);
  }

  /** Every secret that ever existed stands nowhere in clear: in no file of the run, in nothing that was printed. */
  async expectNoSecrets(): Promise<void> {
    const issued = (await this.plane.secretsEverIssued()).map((secret, index): [string, string] => [
      `${index}`,
      secret,
    ]);
    const where = { paths: [this.workspace.directory], texts: this.printed };
    expect(await searchSecrets(Object.fromEntries(issued), where)).toEqual([]);
  }

  /** Destroys the stack: nothing stays alive, nothing was told. */
  async destroy(): Promise<void> {
    await this.run("destroy");
    expect(await this.plane.liveKeys()).toEqual([]);
    await this.expectNoSecrets();
  }
}
