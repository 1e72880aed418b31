import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type RunResult, resultOf } from "./run-result";

const OUTPUT_GRACE_MS = 300;

/** A running command of an engine. */
export interface EngineRun {
  /** The engine's process. */
  readonly child: ChildProcess;
  /** Resolves when the command ends, whatever the outcome. Rejects only if it cannot be started or times out. */
  readonly done: Promise<RunResult>;
  /** Sends a signal to the engine process only. `SIGKILL` simulates a crash, `SIGINT` Ctrl+C. */
  kill(signal?: NodeJS.Signals): void;
}

/** A command to run. */
export interface EngineCommand {
  /** Name of the command: `up`, `preview`, ... */
  readonly name: string;
  /** The program and its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** File that the engine writes its events to. */
  readonly eventLog: string;
  /** Timeout in milliseconds. After it, the engine is killed and `done` rejects. */
  readonly timeoutMs: number;
  /** Called with output as it is printed. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

/** Starts a command of an engine. */
export function startEngine(command: EngineCommand): EngineRun {
  const [file = "", ...args] = command.argv;
  const started = performance.now();
  const child = spawn(file, args, { cwd: command.cwd, env: command.env, stdio: ["ignore", "pipe", "pipe"] });
  const stdout = collect(child.stdout, command.onOutput);
  const stderr = collect(child.stderr, command.onOutput);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, command.timeoutMs);
  const done = ended(child)
    .finally(() => clearTimeout(timer))
    .then(async ({ exit, signal }) => {
      const durationMs = performance.now() - started;
      const end = { exit, signal, stdout: stdout(), stderr: stderr(), durationMs };
      if (late) throw new Error(`${command.name} took longer than ${command.timeoutMs} ms\n${outputOf(end)}`);
      return resultOf(command.name, end, await readEventLog(command.eventLog));
    });
  return { child, done, kill: (signal = "SIGKILL") => void child.kill(signal) };
}

/** Reads an event log. Returns an empty text if the command ended before it wrote one. */
export function readEventLog(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** A command's output, for an error message. */
export function outputOf({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): string {
  return [stdout, stderr].filter((text) => text.trim() !== "").join("\n");
}

function collect(stream: Readable, onOutput: EngineCommand["onOutput"]): () => string {
  const chunks: string[] = [];
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    chunks.push(chunk);
    onOutput?.(chunk);
  });
  return () => chunks.join("");
}

function ended(child: ChildProcess): Promise<Pick<RunResult, "exit" | "signal">> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exit, signal) => {
      const settle = () => resolve({ exit, signal });
      // All output has arrived at "close", but a plugin that outlives a killed engine may keep the pipes open.
      const timer = setTimeout(settle, OUTPUT_GRACE_MS);
      child.once("close", () => {
        clearTimeout(timer);
        settle();
      });
    });
  });
}
