/** Pulumi's own dynamic-provider host: one process that runs the providers of the program's resources. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Client, ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CHANNEL_OPTIONS, type PulumiSdk } from "../program/pulumi-sdk";

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
  readonly printed: (line: string, stream: "stdout" | "stderr") => void;
}

/** A started host. */
export interface RunningHost {
  /** Resolves to the providers' client when they can be called. Rejects if the host does not start. */
  readonly client: Promise<ResourceProviderClient>;
  /** Ends the process and all processes it started. */
  stop(): void;
}

/** A host in its own process group. Like the real one, it outlives an engine that is killed. */
export class DynamicHost implements RunningHost {
  readonly client: Promise<ResourceProviderClient>;
  private connection: Client | undefined;

  private constructor(
    private readonly child: ChildProcess,
    options: HostOptions,
  ) {
    this.client = this.connect(options);
  }

  /** Starts a host. */
  static spawn(options: HostOptions): DynamicHost {
    const child = spawn(process.execPath, [options.sdk.command("dynamic-provider"), options.engineAddress], {
      cwd: options.directory,
      env: options.env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (child.pid !== undefined) options.started(child.pid);
    return new DynamicHost(child, options);
  }

  stop(): void {
    this.connection?.close();
    const { pid } = this.child;
    if (pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The process has just ended.
    }
  }

  private async connect({ sdk, config, printed }: HostOptions): Promise<ResourceProviderClient> {
    const port = await portOf(this.child, printed);
    const credentials = sdk.grpc.credentials.createInsecure();
    const client = new sdk.providerGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials, CHANNEL_OPTIONS);
    this.connection = client as unknown as Client;
    const request = new sdk.provider.ConfigureRequest();
    // The host does not respond without `args`.
    request.setArgs(sdk.struct.fromJavaScript({ ...config }));
    const variables = request.getVariablesMap();
    for (const [key, value] of Object.entries(config)) variables.set(key, value);
    await call<unknown>((done) => client.configure(request, done));
    return client;
  }
}

/** Makes a unary call. Rejects with the ServiceError, whose `details` is the provider's error. */
export function call<Response>(start: (done: (error: ServiceError | null, response: Response) => void) => unknown) {
  return new Promise<Response>((resolve, reject) => {
    start((error, response) => (error ? reject(error) : resolve(response)));
  });
}

function portOf(child: ChildProcess, printed: HostOptions["printed"]): Promise<number> {
  const errors: string[] = [];
  return new Promise((resolve, reject) => {
    let port: number | undefined;
    const fail = (why: string) => reject(new Error([`the plugin host did not start: ${why}`, ...errors].join("\n")));
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`));
    onLines(child.stdout, (line) => {
      if (port !== undefined) printed(line, "stdout");
      else if (/^\d+$/.test(line)) {
        port = Number(line);
        resolve(port);
      }
    });
    onLines(child.stderr, (line) => {
      if (port === undefined) errors.push(line);
      else printed(line, "stderr");
    });
  });
}

/** Calls `line` for each line of a stream. */
export function onLines(stream: NodeJS.ReadableStream | null, line: (text: string) => void): void {
  if (stream) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", line);
}
