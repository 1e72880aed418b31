/** One pass over a stack: a preview, an update, a refresh or a destroy, with all its processes. */
import type { Server } from "@grpc/grpc-js";
import type { Project, StackConfig } from "../command/config";
import { compiledModule } from "../package-root";
import { serveEngine } from "../program/engine-service";
import { ResourceMonitor } from "../program/monitor";
import { Program, type RunningProgram, runEnv } from "../program/program";
import { CHANNEL_OPTIONS, type PulumiSdk } from "../program/pulumi-sdk";
import { NO_PROGRAM } from "../program/source";
import { DynamicHosts } from "../provider/dynamic-hosts";
import { findPlugin } from "../provider/find-plugin";
import { DynamicHost } from "../provider/host";
import { Plugin } from "../provider/plugin";
import { DYNAMIC_PACKAGE, ProviderRegistry } from "../provider/provider-registry";
import { NotSupportedError } from "../refused";
import type { PendingOperation, ResourceState } from "../state/checkpoint";
import { type Properties, secretOf } from "../state/property";
import { Resource } from "../state/resource";
import { Snapshot } from "../state/snapshot";
import { isDefaultProvider, isProviderType, packageOf } from "../state/urn";
import { type Base, Deployment, type DeploymentOptions } from "./deployment";
import { Diagnostics } from "./diagnostics";
import { type EngineEventBody, type Operation, SECRET_MARK } from "./events";
import type { Processes } from "./processes";
import { Run, type RunResult } from "./run";
import { StepReporter } from "./step-reporter";

const OWN_PROCESSES: Processes = { program: Program.start, host: DynamicHost.spawn };

/** Options of a pass. */
export interface OperationOptions {
  readonly sdk: PulumiSdk;
  readonly project: Project;
  readonly stack: string;
  readonly config: StackConfig;
  /** The initial state, with secrets in plain text. */
  readonly resources: readonly ResourceState[];
  readonly pendingOperations: readonly PendingOperation[];
  /** Whether the program is run. */
  readonly runsProgram: boolean;
  readonly deployment: DeploymentOptions;
  readonly env: NodeJS.ProcessEnv;
  /** How to start the processes. @default each in its own process */
  readonly processes?: Processes | undefined;
  readonly emit: (event: EngineEventBody) => void;
  /** Creates the writer of the state. `current` returns the state to write. Not called in a preview. */
  readonly openState: (current: Snapshot["current"]) => () => Promise<void>;
}

/** The result of a pass. */
export interface OperationResult {
  readonly result: RunResult;
  readonly changes: Readonly<Partial<Record<Operation, number>>>;
}

/** One pass. */
export class OperationRun {
  private readonly sdk: PulumiSdk;
  private readonly processes: Processes;
  private hosts: DynamicHosts | undefined;
  private readonly plugins: Plugin[] = [];
  private readonly diagnostics: Diagnostics;
  /** The environment of all processes, and that of the program and the dynamic host. */
  private readonly ownEnv: NodeJS.ProcessEnv;
  private readonly env: NodeJS.ProcessEnv;
  private run: Run | undefined;
  private program: RunningProgram | undefined;
  private cancelled = false;

  /** @throws NotSupportedError if the state contains something that this engine cannot maintain. */
  constructor(private readonly options: OperationOptions) {
    for (const resource of options.resources) refuseUnsupported(resource);
    const { project, stack, config, deployment } = options;
    this.sdk = options.sdk;
    this.processes = options.processes ?? OWN_PROCESSES;
    // Providers ask this command about the stack, as they ask the CLI.
    this.ownEnv = { KEYPLANE_PULUMI: compiledModule("engine", "main.js"), ...options.env };
    this.env = { ...this.ownEnv, ...runEnv(project, stack, config, deployment.preview) };
    const secrets = config.secretKeys.map((key) => config.values[key] ?? "");
    this.diagnostics = new Diagnostics(options.emit, secrets);
  }

  /** Runs the pass. */
  async execute(): Promise<OperationResult> {
    const started = performance.now();
    const { emit, config, deployment } = this.options;
    emit({ preludeEvent: { config: maskedConfig(config) } });
    const server = new this.sdk.grpc.Server(CHANNEL_OPTIONS);
    serveEngine(server, this.sdk, this.diagnostics);
    try {
      const { result, changes } = await this.executeOn(server);
      emit({
        summaryEvent: {
          maybeCorrupt: false,
          durationSeconds: Math.round((performance.now() - started) / 1000),
          resourceChanges: changes,
          PolicyPacks: {},
          isPreview: deployment.preview,
          result,
        },
      });
      return { result, changes };
    } finally {
      await Promise.all(this.plugins.map((plugin) => plugin.close()));
      this.end();
      server.forceShutdown();
    }
  }

  /** Starts nothing more, and notifies the providers. Steps in progress are finished and recorded. */
  cancel(): void {
    this.cancelled = true;
    this.run?.cancel();
    this.hosts?.cancel();
    for (const plugin of this.plugins) plugin.cancel().catch(() => undefined);
  }

  /** Ends all processes. */
  end(): void {
    this.program?.stop();
    this.hosts?.stop();
    for (const plugin of this.plugins) plugin.kill();
  }

  private async executeOn(server: Server): Promise<OperationResult> {
    const { deployment: deploymentOptions, emit, project, stack } = this.options;
    const monitor = this.options.runsProgram ? this.monitor() : undefined;
    monitor?.serve(server);
    const address = await listen(this.sdk, server);
    const base: Base = {
      resources: this.options.resources.map((state) => new Resource(state)),
      pendingOperations: this.options.pendingOperations,
    };
    const hosts = this.dynamicHosts(address);
    const providers = new ProviderRegistry((packageName) =>
      packageName === DYNAMIC_PACKAGE ? hosts.load() : this.startPlugin(packageName, address),
    );
    const name = { stack, project: project.name };
    const deployment = new Deployment(name, deploymentOptions, base, providers, this.diagnostics);
    const snapshot = deploymentOptions.preview ? undefined : this.snapshot(base);
    const reporter = new StepReporter(deployment, emit, (text) => this.diagnostics.masked(text), snapshot);
    this.run = new Run(deployment, reporter, monitor ?? NO_PROGRAM);
    if (this.cancelled) this.run.cancel();
    if (monitor) this.startProgram(monitor, address);
    if (this.willNeedHost()) hosts.warmUp(this.configOf(DYNAMIC_PACKAGE));
    const result = await this.run.execute();
    monitor?.close();
    await snapshot?.close();
    if (result === "succeeded") await this.program?.ended;
    return { result, changes: reporter.changes };
  }

  private monitor(): ResourceMonitor {
    return new ResourceMonitor({
      sdk: this.sdk,
      projectRoot: this.options.project.root,
      configOf: (packageName) => this.configOf(packageName),
    });
  }

  private startProgram(monitor: ResourceMonitor, address: string): void {
    const { project, stack, config, deployment } = this.options;
    const { preview, parallel } = deployment;
    const printed = this.printed();
    const { env, sdk } = this;
    this.program = this.processes.program({ sdk, project, stack, config, preview, parallel, address, env, printed });
    this.program.ended.then((error) => monitor.finish(error));
  }

  private snapshot(base: Base): Snapshot {
    const snapshot: Snapshot = new Snapshot(
      base,
      this.options.openState(() => snapshot.current()),
    );
    return snapshot;
  }

  private dynamicHosts(address: string): DynamicHosts {
    this.hosts = new DynamicHosts(this.sdk, (config) =>
      this.processes.host({
        sdk: this.sdk,
        directory: this.options.project.directory,
        engineAddress: address,
        config,
        env: this.env,
        started: (pid) => this.options.emit({ hostEvent: { pid, package: DYNAMIC_PACKAGE } }),
        printed: this.printed(),
      }),
    );
    return this.hosts;
  }

  private startPlugin(packageName: string, engineAddress: string): Plugin {
    const { project, emit } = this.options;
    const plugin = new Plugin({
      sdk: this.sdk,
      file: findPlugin(packageName, project.plugins),
      directory: project.directory,
      engineAddress,
      env: { ...this.ownEnv, PULUMI_PROJECT: project.name },
      started: (pid) => emit({ hostEvent: { pid, package: packageName } }),
    });
    this.plugins.push(plugin);
    return plugin;
  }

  /** Whether resources of the program will need the host. If so, it starts together with the program. */
  private willNeedHost(): boolean {
    const { resources, runsProgram, project } = this.options;
    if (!runsProgram) return false;
    if (resources.length === 0) return project.plugins.length === 0;
    return resources.some(({ type }) => packageOf(type) === DYNAMIC_PACKAGE);
  }

  private printed(): (line: string, stream: "stdout" | "stderr") => void {
    return (line, stream) => this.diagnostics.report(stream === "stdout" ? "info" : "info#err", "", line);
  }

  /** The configuration of a package's default provider. Dynamic providers get everything, with namespaces. */
  private configOf(packageName: string): Properties {
    const { values, secretKeys } = this.options.config;
    const entries = Object.entries(values).map(
      ([key, value]) => [key, secretKeys.includes(key) ? secretOf(value) : value] as const,
    );
    if (packageName === DYNAMIC_PACKAGE) return Object.fromEntries(entries);
    const own = entries.filter(([key]) => key.split(":")[0] === packageName);
    return Object.fromEntries(own.map(([key, value]) => [key.slice(packageName.length + 1), value]));
  }
}

function refuseUnsupported(state: ResourceState): void {
  const { urn, type, viewOf, resourceHooks, refreshBeforeUpdate, external, deletedWith, replaceWith = [] } = state;
  if (isProviderType(type) && !isDefaultProvider(urn)) throw new NotSupportedError(`an explicit provider (${urn})`);
  if (external) throw new NotSupportedError(`a resource that is read by its id (${urn})`);
  if (deletedWith) throw new NotSupportedError(`the resource option deletedWith (${urn})`);
  if (replaceWith.length > 0) throw new NotSupportedError(`the resource option replaceWith (${urn})`);
  if (viewOf) throw new NotSupportedError(`a view of a resource (${urn})`);
  if (refreshBeforeUpdate) throw new NotSupportedError(`a resource refreshed before each update (${urn})`);
  if (resourceHooks && Object.keys(resourceHooks).length > 0) throw new NotSupportedError(`a resource hook (${urn})`);
}

function listen(sdk: PulumiSdk, server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", sdk.grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(`127.0.0.1:${port}`);
    });
  });
}

function maskedConfig({ values, secretKeys }: StackConfig): Record<string, string> {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([key, value]) => [key, secretKeys.includes(key) ? SECRET_MARK : value]));
}

/** Whether a Pulumi environment variable is set to true. */
export function isTrue(value: string | undefined): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
