import type { Diagnostic, EngineCommandName, RunResult } from "../workspace";
import { outputOf } from "../workspace/engine-run";

/** A command of the engine failed. The message contains the engine's errors, one per paragraph. */
export class DeployError extends Error {
  /** The class name. */
  override readonly name = "DeployError";

  constructor(
    command: EngineCommandName,
    /** The failed run: its steps, diagnostics and output. */
    readonly result: RunResult,
  ) {
    const errors = result.diagnostics.filter(({ severity }) => severity === "error").map(paragraphOf);
    // A program that cannot be started ends before it reports an event.
    const said = errors.length > 0 ? errors.join("\n") : outputOf(result);
    super(`${command} failed (${result.signal ?? `exit code ${result.exit}`})\n${said}`);
  }
}

function paragraphOf({ urn, message }: Diagnostic): string {
  const name = urn.split("::").at(-1);
  return name === undefined || name === "" ? message : `${name}: ${message}`;
}
