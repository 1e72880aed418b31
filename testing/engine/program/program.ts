/** Runs a program with Pulumi's own language runtime. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Project, StackConfig } from "../command/config";
import { compiledModule } from "../package-root";
import { onLines } from "../provider/plugin-process";
import { BailError } from "../run/diagnostics";
import type { PulumiSdk } from "./pulumi-sdk";

/** The runtime's exit code if the program has already logged its error. */
const ERROR_WAS_LOGGED = 32;

/** Options of a program. */
export interface ProgramOptions {
  readonly sdk: PulumiSdk;
  readonly project: Project;
  readonly stack: string;
  readonly config: StackConfig;
  readonly preview: boolean;
  readonly parallel: number;
  /** The address of the engine and the resource monitor. */
  readonly address: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with each line that the program prints. */
  readonly printed: (line: string, stream: "stdout" | "stderr") => void;
}

/** A started program. */
export interface RunningProgram {
  /** Resolves when the program ends, with an error if it failed. */
  readonly ended: Promise<Error | undefined>;
  /** Ends the program and all processes it started. */
  stop(): void;
}

/**
 * A running program in its own process group, so that Ctrl+C reaches only the engine, which ends the program
 * gracefully.
 */
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
      // The process has just ended.
    }
  }
}

/** The environment variables of a run, for the program and the providers. */
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
