/** Runs a program through Pulumi's own language runtime. */
import { type ChildProcess, spawn } from "node:child_process";
import { compiledModule } from "../package-root";
import type { Project, StackConfig } from "./config";
import { BailError } from "./diagnostics";
import { onLines } from "./host";
import type { PulumiSdk } from "./pulumi-sdk";

/** The exit code with which the runtime says that the program has told its error already. */
const ERROR_WAS_LOGGED = 32;

/** What a program runs with. */
export interface ProgramOptions {
  readonly sdk: PulumiSdk;
  readonly project: Project;
  readonly stack: string;
  readonly config: StackConfig;
  readonly preview: boolean;
  readonly parallel: number;
  /** Where the engine and the resource monitor listen. */
  readonly address: string;
  readonly env: NodeJS.ProcessEnv;
  /** Told each line the program prints. */
  readonly printed: (line: string, stream: "stdout" | "stderr") => void;
}

/** A program that was started. */
export interface RunningProgram {
  /** Resolves when it has ended: with an error where it failed. */
  readonly ended: Promise<Error | undefined>;
  /** Ends it and all it started. */
  stop(): void;
}

/** A running program, in a process group of its own: Ctrl-C is for the engine, which ends the program in order. */
export class Program implements RunningProgram {
  private constructor(
    private readonly child: ChildProcess,
    readonly ended: Promise<Error | undefined>,
  ) {}

  /** Starts a program. */
  static start(options: ProgramOptions): Program {
    const { sdk, project, stack, preview, parallel, address, printed } = options;
    const args = [
      ...["--require", compiledModule("engine", "preload", "inspect-guard.js")],
      ...nodeArguments(project),
      sdk.command("run"),
      ...["--monitor", address, "--engine", address],
      ...["--project", project.name, "--stack", stack, "--organization", "organization"],
      ...["--pwd", project.directory, "--root-directory", project.root, "--parallel", String(parallel)],
      ...(preview ? ["--dry-run"] : []),
      project.entry,
    ];
    const child = spawn(process.execPath, args, {
      cwd: project.directory,
      env: { ...options.env, ...runtimeEnv(project) },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onLines(child.stdout, (line) => printed(line, "stdout"));
    onLines(child.stderr, (line) => printed(line, "stderr"));
    return new Program(child, endOf(child));
  }

  stop(): void {
    const { pid } = this.child;
    if (pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
  }
}

/** What a program and the providers find in their environment of the run. */
export function runEnv(
  project: Project,
  stack: string,
  { values, secretKeys }: StackConfig,
  preview: boolean,
): NodeJS.ProcessEnv {
  return {
    PULUMI_CONFIG: JSON.stringify(values),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
    PULUMI_ORGANIZATION: "organization",
    PULUMI_PROJECT: project.name,
    PULUMI_STACK: stack,
    PULUMI_DRY_RUN: String(preview),
    PULUMI_NODEJS_ORGANIZATION: "organization",
    PULUMI_NODEJS_PROJECT: project.name,
    PULUMI_NODEJS_STACK: stack,
    PULUMI_NODEJS_DRY_RUN: String(preview),
  };
}

function runtimeEnv({ runtimeOptions }: Project): NodeJS.ProcessEnv {
  const { typescript } = runtimeOptions;
  return { PULUMI_NODEJS_TYPESCRIPT: String(typescript !== false && typescript !== "false") };
}

function nodeArguments({ runtimeOptions: { nodeargs } }: Project): string[] {
  return typeof nodeargs === "string" ? nodeargs.split(/\s+/).filter((argument) => argument !== "") : [];
}

function endOf(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(new Error(`the program could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (code === ERROR_WAS_LOGGED) resolve(new BailError("the program failed"));
      else resolve(new Error(`the program ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}
