/** Pulumi's own dynamic-provider host: one process that runs the providers of the program's resources. */
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type { PulumiSdk } from "../program/pulumi-sdk";
import { call, PluginProcess, type Printed } from "./plugin-process";

/** Options of a host. */
export interface HostOptions {
  readonly sdk: PulumiSdk;
  /** The program's folder, which the providers' `require` resolves from. */
  readonly directory: string;
  /** The engine's address, which is the host's only argument. */
  readonly engineAddress: string;
  /** The configuration with namespaces. Secrets are in plain text. */
  readonly config: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  /** Called with the process id when the process starts. */
  readonly started: (pid: number) => void;
  /** Called with each line that the providers print. */
  readonly printed: Printed;
}

/** A started host. */
export interface RunningHost {
  /** Resolves to the providers' client when they can be called. Rejects if the host does not start. */
  readonly client: Promise<ResourceProviderClient>;
  /** Ends the process and all processes it started. */
  stop(): void;
}

/** A host in its own process. */
export class DynamicHost implements RunningHost {
  readonly client: Promise<ResourceProviderClient>;

  private constructor(
    private readonly process: PluginProcess,
    options: HostOptions,
  ) {
    this.client = this.configured(options);
  }

  /** Starts a host. */
  static spawn(options: HostOptions): DynamicHost {
    const args = [options.sdk.command("dynamic-provider"), options.engineAddress];
    const child = PluginProcess.spawn({ ...options, label: "the plugin host", file: process.execPath, args });
    return new DynamicHost(child, options);
  }

  stop(): void {
    this.process.kill();
  }

  private async configured({ sdk, config }: HostOptions): Promise<ResourceProviderClient> {
    const client = await this.process.client;
    const request = new sdk.provider.ConfigureRequest();
    // The host does not respond without `args`.
    request.setArgs(sdk.struct.fromJavaScript({ ...config }));
    const variables = request.getVariablesMap();
    for (const [key, value] of Object.entries(config)) variables.set(key, value);
    await call<unknown>((done) => client.configure(request, done));
    return client;
  }
}
