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

/** One process for the programs of replays, until one fails, and one for their providers. They serve one run at a time. */
export class SharedProcesses implements Processes {
  private readonly folder = mkdtempSync(join(tmpdir(), "keyplane-replay-"));
  private readonly runFile = join(this.folder, "run.json");
  private runner: ChildProcess | undefined;
  private spawned: DynamicHost | undefined;

  /** @param probe - The folder of the package that contains the programs and the provider. */
  constructor(probe: string) {
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(probe, join(this.folder, "node_modules", "probe"), "junction");
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
    this.runner ??= fork(join(__dirname, "program-runner.cjs"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const { runner } = this;
    let isDone = false;
    const ended = new Promise<Error | undefined>((resolve) => {
      runner.once("message", ({ error }: { readonly error?: string }) => {
        isDone = error === undefined;
        resolve(isDone ? undefined : new BailError(error));
      });
    });
    const entry = join(project.directory, "index.js");
    runner.send({ entry, address, project: project.name, stack, preview, parallel, config: config.values });
    // A program that has failed, or whose engine has, can go on. What it throws then would be an error of the next one.
    return { ended, stop: () => (isDone ? undefined : this.endRunner()) };
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
    this.endRunner();
    this.spawned?.stop();
    rmSync(this.folder, { recursive: true });
  }

  private endRunner(): void {
    this.runner?.disconnect();
    this.runner = undefined;
  }
}
