import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { type CommandProcess, type DeployCommand, deploy } from "../engine/command/deploy-command";
import type { Processes } from "../engine/run/processes";
import { type EngineCommand, readEventLog } from "./engine-run";
import { type RunResult, resultOf } from "./run-result";

/**
 * Runs a command of the embedded engine in this process. Only the program and the providers get their own processes.
 * The engine cannot be killed, and Ctrl+C in this process does not stop it.
 * @param args - The engine's arguments, without the command.
 * @param processes - How to start the program and the providers, if not each in its own process.
 */
export async function runEngineHere(
  name: DeployCommand,
  args: readonly string[],
  { env, eventLog, timeoutMs, onOutput }: Pick<EngineCommand, "env" | "eventLog" | "timeoutMs" | "onOutput">,
  processes?: Processes,
): Promise<RunResult> {
  const started = performance.now();
  const printed: string[] = [];
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      printed.push(text);
      onOutput?.(text);
      done();
    },
  });
  const own = { env, stdout, exit: () => undefined, ...(processes && { processes }) };
  const here: CommandProcess & EventEmitter = Object.assign(new EventEmitter(), own);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    // The second interrupt ends all processes that the command started.
    for (let times = 0; times < 2; times++) here.emit("SIGINT");
  }, timeoutMs);
  const end = await deploy(name, args, here).then(
    (succeeded) => ({ exit: succeeded ? 0 : 255, stderr: "" }),
    (error: Error) => ({ exit: 255, stderr: `error: ${error.message}\n` }),
  );
  clearTimeout(timer);
  if (late) throw new Error(`${name} took longer than ${timeoutMs} ms\n${printed.join("")}${end.stderr}`);
  const durationMs = performance.now() - started;
  return resultOf(name, { ...end, signal: null, stdout: printed.join(""), durationMs }, await readEventLog(eventLog));
}
