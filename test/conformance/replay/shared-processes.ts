import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProgramOptions, RunningProgram } from "../../../testing/engine/program/program";
import { DynamicHost, type HostOptions, type RunningHost } from "../../../testing/engine/provider/host";
import { BailError } from "../../../testing/engine/run/diagnostics";
import type { Processes } from "../../../testing/engine/run/processes";

/** What the probe does in one run. */
export interface ProbeRun {
  /** The file in which it logs its calls. */
  readonly log: string;
  /** What it finds in the outside world. */
  readonly world: unknown;
  /** The folder of the program and the backend of the stack, for a probe that asks for the state. */
  readonly cwd: string;
  readonly backend: string | undefined;
}

const DERIVED_KEYS = join(__dirname, "..", "..", "derived-keys.cjs");

/** One process for the programs of all replays and one for their providers. They serve one run at a time. */
export class SharedProcesses implements Processes {
  private readonly folder = mkdtempSync(join(tmpdir(), "keyplane-replay-"));
  private readonly runFile = join(this.folder, "run.json");
  private readonly runner: ChildProcess;
  private spawned: DynamicHost | undefined;
  private programs = 0;

  /** @param probe - The folder of the package that contains the programs and the provider. */
  constructor(probe: string) {
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(probe, join(this.folder, "node_modules", "probe"), "junction");
    this.runner = fork(join(__dirname, "program-runner.cjs"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  }

  /** Variables with which engines that have their own process derive the key of the passphrase once. */
  get derivedKeys(): NodeJS.ProcessEnv {
    return { NODE_OPTIONS: `--require=${DERIVED_KEYS}`, DERIVED_KEYS: this.folder };
  }

  /** Tells the probe what the next run is about. */
  next(run: ProbeRun): void {
    writeFileSync(this.runFile, JSON.stringify(run));
  }

  program({ project, stack, config, preview, parallel, address }: ProgramOptions): RunningProgram {
    // The program of a failed run may end in the middle of the next run.
    const id = ++this.programs;
    const ended = new Promise<Error | undefined>((resolve) => {
      const listen = (message: { readonly id: number; readonly error?: string }) => {
        if (message.id !== id) return;
        this.runner.off("message", listen);
        resolve(message.error === undefined ? undefined : new BailError(message.error));
      };
      this.runner.on("message", listen);
    });
    const entry = join(project.directory, "index.js");
    this.runner.send({ id, entry, address, project: project.name, stack, preview, parallel, config: config.values });
    return { ended, stop: () => undefined };
  }

  host(options: HostOptions): RunningHost {
    // It belongs to no workspace, because the end of the workspace would end it.
    const { PULUMI_HOME: _, ...env } = options.env;
    this.spawned ??= DynamicHost.spawn({
      ...options,
      directory: this.folder,
      env: { ...env, PROBE_RUN: this.runFile },
      started: () => undefined,
    });
    return { client: this.spawned.client, stop: () => undefined };
  }

  /** Ends both processes. */
  close(): void {
    this.runner.disconnect();
    this.spawned?.stop();
    rmSync(this.folder, { recursive: true });
  }
}
