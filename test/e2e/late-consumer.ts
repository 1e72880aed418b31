import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { examples } from "./stack-under-test";

/** The requests of a consumer so far. */
export interface Calls {
  readonly calls: number;
  readonly failures: number;
}

/** The consumer of the example `overlap`: a separate process that takes a new key only when it is restarted. */
export class LateConsumer {
  private child: ChildProcess | undefined;
  private lines: string[] = [];
  private total: Calls = { calls: 0, failures: 0 };

  constructor(
    private readonly baseUrl: string,
    private readonly keyFile: string,
  ) {}

  /** Starts it with the key that is in the file now. Resolves when it has read the file. */
  async start(): Promise<void> {
    const script = join(examples, "overlap", "consumer.mjs");
    const env = { PATH: process.env.PATH, KEYPLANE_BASE_URL: this.baseUrl };
    this.lines = [];
    this.child = spawn(process.execPath, [script, this.keyFile], { env, stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => this.lines.push(line));
    await once(lines, "line");
  }

  /** Ends it. Returns the results of all its processes together. */
  async stop(): Promise<Calls> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return this.total;
    child.kill("SIGTERM");
    await once(child, "close");
    const { calls, failures } = JSON.parse(this.lines.at(-1) ?? "") as Calls;
    this.total = { calls: this.total.calls + calls, failures: this.total.failures + failures };
    return this.total;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }
}
