/** The process of a provider: the dynamic host or a plugin. The first line that it prints is the port of its server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Client, ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CHANNEL_OPTIONS, type PulumiSdk } from "../program/pulumi-sdk";

/** What a provider printed. */
export type Printed = (line: string, stream: "stdout" | "stderr") => void;

/** Options of a process. */
export interface ProcessOptions {
  readonly sdk: PulumiSdk;
  /** The process in messages, such as `the plugin host`. */
  readonly label: string;
  readonly file: string;
  readonly args: readonly string[];
  /** The working directory. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with the process id when the process starts. */
  readonly started: (pid: number) => void;
  /** Called with each line that the process prints after the port. */
  readonly printed: Printed;
}

/** A process in its own process group. Like the CLI's, it outlives an engine that is killed. */
export class PluginProcess {
  /** Resolves to the server's client when the port is known. Rejects if the process does not start. */
  readonly client: Promise<ResourceProviderClient>;
  private connection: Client | undefined;

  private constructor(
    private readonly child: ChildProcess,
    options: ProcessOptions,
  ) {
    this.client = this.connect(options);
    // The first caller that needs the client gets the error.
    this.client.catch(() => undefined);
  }

  /** Starts a process. */
  static spawn(options: ProcessOptions): PluginProcess {
    const { file, args, directory, env } = options;
    const child = spawn(file, args, { cwd: directory, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    if (child.pid !== undefined) options.started(child.pid);
    return new PluginProcess(child, options);
  }

  /** Ends the process and all processes it started. */
  kill(): void {
    this.connection?.close();
    this.signal("SIGKILL");
  }

  /** Interrupts the process, and kills it if it has not ended after some time. */
  async end(graceMs: number): Promise<void> {
    if (this.isRunning()) {
      const ended = once(this.child, "exit");
      this.signal("SIGINT");
      const timer = setTimeout(() => this.kill(), graceMs);
      await ended;
      clearTimeout(timer);
    }
    this.kill();
  }

  private isRunning(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private signal(signal: NodeJS.Signals): void {
    if (!this.isRunning()) return;
    try {
      process.kill(-Number(this.child.pid), signal);
    } catch {
      // The process has just ended.
    }
  }

  private async connect({ sdk, label, printed }: ProcessOptions): Promise<ResourceProviderClient> {
    const port = await portOf(this.child, label, printed);
    const credentials = sdk.grpc.credentials.createInsecure();
    const client = new sdk.providerGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials, CHANNEL_OPTIONS);
    this.connection = client as unknown as Client;
    return client;
  }
}

/** Makes a unary call. Rejects with the ServiceError, whose `details` is the provider's error. */
export function call<Response>(start: (done: (error: ServiceError | null, response: Response) => void) => unknown) {
  return new Promise<Response>((resolve, reject) => {
    start((error, response) => (error ? reject(error) : resolve(response)));
  });
}

/** Calls `line` for each line of a stream. */
export function onLines(stream: NodeJS.ReadableStream | null, line: (text: string) => void): void {
  if (stream) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", line);
}

function portOf(child: ChildProcess, label: string, printed: Printed): Promise<number> {
  const errors: string[] = [];
  return new Promise((resolve, reject) => {
    let port: number | undefined;
    const fail = (why: string) => reject(new Error([`${label} did not start: ${why}`, ...errors].join("\n")));
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`));
    onLines(child.stdout, (line) => {
      if (port !== undefined) return printed(line, "stdout");
      port = /^\s*\d+\s*$/.test(line) ? Number(line) : Number.NaN;
      if (Number.isNaN(port)) fail("the first line that it printed is not the port of its server");
      else resolve(port);
    });
    onLines(child.stderr, (line) => {
      if (port === undefined) errors.push(line);
      else printed(line, "stderr");
    });
  });
}
