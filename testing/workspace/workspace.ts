import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type IssuedSecrets, issuedSecrets } from "../control-plane/issued-secrets";
import { driveHistory } from "../driven-time/driven-time";
import { loadProject, readSalt, setConfig, writeSalt } from "../engine/command/config";
import { SECRET_MARK } from "../engine/run/events";
import type { Processes } from "../engine/run/processes";
import { FileBackend } from "../engine/state/backend";
import { type Deployment, type ExportedStack, FORMAT, manifestAt } from "../engine/state/checkpoint";
import { mapMapSecrets, type Properties, revealed } from "../engine/state/property";
import { PassphraseSecrets } from "../engine/state/secrets";
import { type EngineName, engineCommand, engineOf } from "./engine-command";
import { runEngineHere } from "./engine-here";
import { type EngineCommand, type EngineRun, outputOf, startEngine } from "./engine-run";
import { lazySerializer } from "./lazy-serializer/lazy-serializer";
import { endProcesses, processesWith } from "./processes";
import { type Program, replaceProgram, writeProgram } from "./program-folder";
import type { RunResult } from "./run-result";
import type { SecretFinding } from "./search-secrets";
import { SecretHunt } from "./secret-hunt";
import { createSecrets } from "./secrets-of-stacks";

/** Options of a workspace. */
export interface WorkspaceOptions {
  /** A folder to copy, or files by name. A missing `Pulumi.yaml` or `package.json` is added. */
  readonly program: Program;
  /**
   * More packages that the program can import, with their folders. `keyplane`, `@pulumi/pulumi` and the packages
   * installed with it are always available.
   */
  readonly packages?: Readonly<Record<string, string>>;
  /**
   * Provider plugins that the program uses, by name (`{ keyplane: "bin" }` for the executable
   * `pulumi-resource-keyplane`), with the folders of their executables. They are added to the `Pulumi.yaml`.
   */
  readonly plugins?: Readonly<Record<string, string>>;
  /**
   * The project's name, if the program has no `Pulumi.yaml`.
   * @default "proj"
   */
  readonly project?: string;
  /** Name of the stack. @default "dev" */
  readonly stack?: string;
  /** Configuration of the stack. A key without a namespace belongs to the project. */
  readonly config?: Readonly<Record<string, string>>;
  /** Secret configuration of the stack. */
  readonly secretConfig?: Readonly<Record<string, string>>;
  /**
   * Variables for the engine, the program and the providers. `PULUMI_*` and `KEYPLANE_*` of this process are not passed
   * on.
   */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * The engine that deploys the program.
   * @default the value of `KEYPLANE_ENGINE` (`embedded` or `cli`), or `embedded` if it is not set
   */
  readonly engine?: EngineName;
  /**
   * When Pulumi's SDK loads the modules that serialize closures: `lazy` on first use, so that each process of a run
   * starts in a third of the time, or `eager` on import, as the SDK does by default.
   * @default "lazy"
   */
  readonly serializer?: "lazy" | "eager";
}

/** How to run one command. */
export interface RunOptions {
  /** More Pulumi arguments, such as `["--refresh"]`. */
  readonly args?: readonly string[];
  /** More variables, for this run only. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Whether a failed run returns its result, with an `exit` other than 0. If false, a failed run throws an error with
   * the engine's output.
   * @default false
   */
  readonly mayFail?: boolean;
  /**
   * Whether `up`, `refresh` and `destroy` run a preview first, as they do on the command line.
   * @default false
   */
  readonly previewFirst?: boolean;
  /**
   * Timeout in milliseconds, after which the engine is killed.
   * @default 120000
   */
  readonly timeoutMs?: number;
  /**
   * Whether the embedded engine may run in this process, which saves some tenths of a second. The Pulumi CLI and
   * commands started with {@link Workspace.start} always have their own process.
   * @default false
   */
  readonly inProcess?: boolean;
  /**
   * How the embedded engine starts the program and the providers when it runs in this process.
   * @default each in its own process
   * @internal
   */
  readonly processes?: Processes;
  /** Called with the engine's output as it is printed. */
  readonly onOutput?: (text: string) => void;
}

/** Pulumi commands that a workspace runs. */
export type EngineCommandName = "up" | "preview" | "refresh" | "destroy";

const PASSPHRASE = "a passphrase for tests";
const TIMEOUT_MS = 120_000;

/**
 * An isolated stack, deployed by either engine: a temporary folder with a program, a file backend, a Pulumi home and a
 * passphrase. Does not read or change the user's login, stacks or plugins.
 *
 * @example
 * const workspace = await Workspace.create({ program: "examples/quickstart", config: { "keyplane:baseUrl": url } });
 * try {
 *   const { steps } = await workspace.up();
 * } finally {
 *   await workspace.remove();
 * }
 */
export class Workspace {
  private runs = 0;
  private readonly hosts: number[] = [];
  private readonly hunt = new SecretHunt(() => this.processes());

  private constructor(
    /** The temporary folder that contains everything. */
    readonly directory: string,
    /** The engine that deploys the stack. */
    readonly engine: EngineName,
    /** The project's name. */
    readonly project: string,
    /** The stack's name. */
    readonly stack: string,
    /** The environment of every run. */
    readonly env: Readonly<NodeJS.ProcessEnv>,
    private readonly serializer: "lazy" | "eager",
    private readonly plugins: Readonly<Record<string, string>>,
  ) {}

  /** Creates a workspace. Deploys nothing yet. */
  static async create(options: WorkspaceOptions): Promise<Workspace> {
    const directory = await realpath(await mkdtemp(join(tmpdir(), "keyplane-")));
    try {
      return await Workspace.createIn(directory, options);
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  private static async createIn(directory: string, options: WorkspaceOptions): Promise<Workspace> {
    const folder = join(directory, "program");
    const { packages = {}, plugins = {} } = options;
    await writeProgram(folder, options.program, options.project ?? "proj", { packages, plugins });
    const workspace = new Workspace(
      directory,
      options.engine ?? engineOf(process.env),
      (await loadProject(folder)).name,
      options.stack ?? "dev",
      hermeticEnv(directory, options.env ?? {}),
      options.serializer ?? "lazy",
      plugins,
    );
    await workspace.salt();
    await mkdir(join(directory, "backend"));
    await mkdir(join(directory, "home"));
    for (const [key, value] of Object.entries(options.config ?? {})) await workspace.setConfig(key, value);
    for (const [key, value] of Object.entries(options.secretConfig ?? {})) {
      await workspace.setConfig(key, value, { secret: true });
    }
    if (workspace.engine === "cli") await workspace.initStack();
    return workspace;
  }

  /** The folder of the program. */
  get programDirectory(): string {
    return join(this.directory, "program");
  }

  /** The stack's state file. It exists after the first run. */
  get stateFile(): string {
    return this.backend.stackFile(this.project, this.stack);
  }

  /** Deploys the program. */
  up(options?: RunOptions): Promise<RunResult> {
    return this.run("up", options);
  }

  /** Previews a deployment. */
  preview(options?: RunOptions): Promise<RunResult> {
    return this.run("preview", options);
  }

  /** Updates the state from the real resources. */
  refresh(options?: RunOptions): Promise<RunResult> {
    return this.run("refresh", options);
  }

  /** Deletes all resources of the stack. */
  destroy(options?: RunOptions): Promise<RunResult> {
    return this.run("destroy", options);
  }

  /** Runs a command until it ends. */
  async run(command: EngineCommandName, options: RunOptions = {}): Promise<RunResult> {
    const here = options.inProcess === true && this.engine === "embedded";
    const { done } = here
      ? this.begin(command, options, (engine, args) => ({
          done: runEngineHere(command, args, engine, options.processes),
        }))
      : this.start(command, options);
    const result = await done;
    if (result.exit === 0 || options.mayFail) return result;
    throw new Error(`${command} failed (${result.signal ?? `exit code ${result.exit}`})\n${outputOf(result)}`);
  }

  /** Starts a command, so that a test can act while it runs, such as kill it. A failed run still returns its result. */
  start(command: EngineCommandName, options: RunOptions = {}): EngineRun {
    return this.begin(command, options, (engine, args) =>
      startEngine({ ...engine, argv: [...engineCommand(this.engine), command, ...args] }),
    );
  }

  /** Runs any other Pulumi command, such as `["stack", "output", "--json"]`. Throws if it fails. */
  async command(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const [name = ""] = args;
    const result = await startEngine({
      name,
      argv: [...engineCommand(this.engine), ...args, ...(options.args ?? []), ...this.where],
      cwd: this.programDirectory,
      env: this.envOf(options),
      eventLog: join(this.directory, "no-events"),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      onOutput: options.onOutput,
    }).done;
    if (result.exit === 0 || options.mayFail) return result;
    throw new Error(`${args.join(" ")} failed (exit code ${result.exit})\n${outputOf(result)}`);
  }

  /** Sets a value of the stack's configuration. */
  async setConfig(key: string, value: string, options: { readonly secret?: boolean } = {}): Promise<void> {
    if (options.secret) this.hunt.allowInEnvironments(value);
    const project = await loadProject(this.programDirectory);
    await setConfig(
      project,
      this.stack,
      key,
      value,
      options.secret ? await PassphraseSecrets.open(PASSPHRASE, await this.salt()) : undefined,
    );
  }

  /**
   * Replaces the program. A folder replaces the whole program. Files replace only files of the same name. The stack's
   * configuration remains.
   */
  async setProgram(program: Program): Promise<void> {
    await replaceProgram(this.programDirectory, program, this.project, { plugins: this.plugins });
  }

  /** Returns the stack's state, as `stack export` does: secrets as ciphertext, or as plaintext envelopes. */
  async exportState(options: { readonly showSecrets?: boolean } = {}): Promise<ExportedStack> {
    const deployment = await this.backend.load(this.project, this.stack);
    if (deployment === undefined) return { version: FORMAT, deployment: { manifest: manifestAt(new Date(0)) } };
    return {
      version: FORMAT,
      deployment: options.showSecrets ? await this.opened(deployment) : deployment,
    };
  }

  /** Returns the stack's outputs, with secrets as `[secret]` or in plain text. */
  async outputs(options: { readonly showSecrets?: boolean } = {}): Promise<Properties> {
    const { deployment } = await this.exportState(options);
    const stack = deployment.resources?.find((resource) => resource.type === "pulumi:pulumi:Stack");
    const outputs = stack?.outputs ?? {};
    return options.showSecrets ? (revealed(outputs) as Properties) : mapMapSecrets(outputs, () => SECRET_MARK);
  }

  /** Removes the lock of a killed run. */
  async cancel(): Promise<void> {
    await this.backend.cancel(this.project, this.stack);
  }

  /** Returns the running processes of this workspace, including those that outlived their engine. */
  processes(): number[] {
    return processesWith(`PULUMI_HOME=${this.env.PULUMI_HOME}`, this.hosts);
  }

  /**
   * Searches for secrets, in any encoding: in the workspace's files, in the output of its runs, and in the environments
   * of their processes.
   * @param secrets By default, all secrets that control planes of this process have issued.
   */
  secretsInClear(secrets: IssuedSecrets = issuedSecrets()): Promise<SecretFinding[]> {
    return this.hunt.findings(this.directory, secrets);
  }

  /**
   * Ends the workspace's remaining processes and removes its folder. Does not delete resources: see {@link destroy}.
   * Throws if a secret appears in plain text, as found by {@link secretsInClear}, unless `search` is false.
   */
  async remove({ search = true }: { readonly search?: boolean } = {}): Promise<void> {
    endProcesses(this.processes());
    const findings = search ? await this.secretsInClear() : [];
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3 });
    if (findings.length === 0) return;
    const places = findings.map(({ secret, place, form }) => `${secret} (${form}) in ${place}`);
    throw new Error(`secrets appear in plain text:\n${places.join("\n")}`);
  }

  private begin<Run extends Pick<EngineRun, "done">>(
    command: EngineCommandName,
    options: RunOptions,
    start: (engine: Omit<EngineCommand, "argv">, args: readonly string[]) => Run,
  ): Run {
    this.runs += 1;
    const eventLog = join(this.directory, `events-${this.runs}.jsonl`);
    const own = command === "preview" ? [] : ["--yes", ...(options.previewFirst ? [] : ["--skip-preview"])];
    const engine = {
      name: command,
      cwd: this.programDirectory,
      env: this.envOf(options),
      eventLog,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      onOutput: options.onOutput,
    };
    const began = Date.now();
    const run = start(engine, [...this.where, ...own, "--event-log", eventLog, ...(options.args ?? [])]);
    const done = run.done.then(async (result) => {
      if (result.hostPid !== undefined) this.hosts.push(result.hostPid);
      await driveHistory(this.backend.history(this.project, this.stack), engine.env, began);
      return result;
    });
    this.hunt.watch(command, done);
    return { ...run, done };
  }

  private envOf({ env }: RunOptions): NodeJS.ProcessEnv {
    const all = { ...this.env, ...env };
    return this.serializer === "lazy" ? lazySerializer(all) : all;
  }

  private get backend(): FileBackend {
    return new FileBackend(join(this.directory, "backend"));
  }

  private get where(): readonly string[] {
    return ["--stack", this.stack, "--cwd", this.programDirectory, "--non-interactive"];
  }

  private async initStack(): Promise<void> {
    const [pulumi, ...first] = engineCommand("cli");
    const { done } = startEngine({
      name: "stack init",
      argv: [pulumi, ...first, "stack", "init", this.stack, "--secrets-provider", "passphrase", "--non-interactive"],
      cwd: this.programDirectory,
      env: this.env,
      eventLog: join(this.directory, "no-events"),
      timeoutMs: TIMEOUT_MS,
    });
    const result = await done;
    if (result.exit !== 0) throw new Error(`stack init failed\n${outputOf(result)}`);
  }

  /** Workspaces of this process share a salt where possible, so that one key decrypts all their states. */
  private async salt(): Promise<string> {
    const project = await loadProject(this.programDirectory);
    const present = await readSalt(project, this.stack);
    if (present !== undefined) return present;
    const { salt } = await createSecrets(PASSPHRASE);
    await writeSalt(project, this.stack, salt);
    return salt;
  }

  private async opened(deployment: Deployment): Promise<Deployment> {
    const salt = deployment.secrets_providers?.state?.salt;
    return salt === undefined
      ? deployment
      : (await PassphraseSecrets.open(PASSPHRASE, salt)).openDeployment(deployment);
  }
}

/** The environment of an isolated stack, with its own home, backend and passphrase. */
function hermeticEnv(directory: string, own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(PULUMI_|KEYPLANE_|VITEST|NODE_ENV$|NODE_OPTIONS$)/;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
    PULUMI_HOME: join(directory, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(join(directory, "backend")).href,
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // The CLI has `--event-log` only with this variable.
    PULUMI_DEBUG_COMMANDS: "true",
    NO_COLOR: "1",
    ...own,
  };
}
