import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceState } from "../../testing/engine/state/checkpoint";
import { revealed } from "../../testing/engine/state/property";
import { nameOf } from "../../testing/engine/state/urn";
import { type EngineCommandName, type RunOptions, type RunResult, Workspace } from "../../testing/workspace";

/** A call of the plugin `probe`, in its own words. */
export interface PluginCall {
  /** The plugin's process. */
  readonly pid: number;
  readonly method: string;
  readonly urn?: string;
  readonly [field: string]: unknown;
}

/** What the plugin finds in the world: see `../probe-plugin/pulumi-resource-probe`. */
export type World = Readonly<Record<string, unknown>>;

/** How to create a stack. */
export interface PluginStackOptions {
  readonly config?: Readonly<Record<string, string>>;
  readonly secretConfig?: Readonly<Record<string, string>>;
  /** More packages that the program can import, with their folders. */
  readonly packages?: Readonly<Record<string, string>>;
}

/** How to run a command. */
export interface PluginRunOptions extends RunOptions {
  readonly world?: World;
}

/** The result of a command. */
export interface PluginRun extends RunResult {
  readonly calls: readonly PluginCall[];
}

const PROBE = join(__dirname, "..", "probe-plugin");

const HEAD = `
const pulumi = require("@pulumi/pulumi");
class Thing extends pulumi.CustomResource {
  constructor(name, args, opts) {
    super("probe:index:Thing", name, { token: undefined, color: undefined, ...args }, opts);
  }
}
class Provider extends pulumi.ProviderResource {
  constructor(name, args, opts) {
    super("probe", name, args, opts);
  }
}
`;

/** A stack whose program uses the plugin `probe`, with the classes `Thing` and `Provider`. */
export class PluginStack {
  private seen = 0;

  private constructor(readonly workspace: Workspace) {}

  /** Creates a stack. Without `plugins`, the program does not name the plugin. */
  static async create(program: string, options: PluginStackOptions & { plugins?: boolean } = {}): Promise<PluginStack> {
    const { plugins = true, ...others } = options;
    const workspace = await Workspace.create({
      ...others,
      program: { "index.js": HEAD + program },
      ...(plugins && { plugins: { probe: PROBE } }),
    });
    return new PluginStack(workspace);
  }

  /** Runs a command, in this process where possible. The command may fail. */
  async run(command: EngineCommandName, options: PluginRunOptions = {}): Promise<PluginRun> {
    const result = await this.workspace.run(command, {
      inProcess: true,
      mayFail: true,
      ...options,
      env: this.env(options),
    });
    return { ...result, calls: this.newCalls() };
  }

  /** Runs another Pulumi command. The command may fail. */
  async command(args: readonly string[], options: PluginRunOptions = {}): Promise<PluginRun> {
    const result = await this.workspace.command(args, { mayFail: true, ...options, env: this.env(options) });
    return { ...result, calls: this.newCalls() };
  }

  /** The environment of a run, in which the plugin logs its calls. */
  env({ world = {}, env }: PluginRunOptions = {}): NodeJS.ProcessEnv {
    return { PROBE_LOG: this.log, PROBE_WORLD: JSON.stringify(world), ...env };
  }

  /** Replaces the program. */
  async setProgram(program: string): Promise<void> {
    await this.workspace.setProgram({ "index.js": HEAD + program });
  }

  /** The calls since the last call of this method. */
  newCalls(): PluginCall[] {
    const lines = existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n").filter(Boolean) : [];
    // The log of a dynamic provider is the same file.
    const calls = lines.slice(this.seen).map((line) => JSON.parse(line) as PluginCall);
    this.seen = lines.length;
    return calls.filter(({ pid }) => pid !== undefined);
  }

  /** The resources in the state by name, with secrets in plaintext envelopes. */
  async state(): Promise<Record<string, ResourceState>> {
    const { deployment } = await this.workspace.exportState({ showSecrets: true });
    return Object.fromEntries((deployment.resources ?? []).map((state) => [nameOf(state.urn), state]));
  }

  /** Ends what the runs left, and removes the stack. */
  remove(): Promise<void> {
    return this.workspace.remove({ search: false });
  }

  private get log(): string {
    return join(this.workspace.directory, "calls");
  }
}

/** Names calls briefly, such as `Create a`, and leaves out those of every start. */
export function inBrief(calls: readonly PluginCall[]): string[] {
  return calls
    .filter(({ method }) => !["Handshake", "Cancel"].includes(method))
    .map(({ method, urn }) => (urn ? `${method} ${nameOf(urn)}` : method));
}

/** Returns the only call of a method, or the only one for a resource. */
export function onlyCall(calls: readonly PluginCall[], method: string, name?: string): PluginCall {
  const found = calls.filter((call) => call.method === method && (!name || nameOf(call.urn ?? "") === name));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} calls of ${method} ${name ?? ""}`);
  return only;
}

/** The inputs or outputs of a resource in plain text. */
export function clear(properties: ResourceState["inputs"]): unknown {
  return revealed(properties ?? {});
}
