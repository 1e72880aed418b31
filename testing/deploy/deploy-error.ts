import type { Diagnostic, EngineCommandName, RunResult } from "../workspace";
import { outputOf } from "../workspace/engine-run";

/** A command of the engine has failed. Its message holds what the engine said, an error a paragraph. */
export class DeployError extends Error {
  /** The class's name. */
  override readonly name = "DeployError";

  constructor(
    command: EngineCommandName,
    /** The run that failed: its steps, diagnostics and output. */
    readonly result: RunResult,
  ) {
    const errors = result.diagnostics.filter(({ severity }) => severity === "error").map(paragraphOf);
    // A program that cannot even be started ends before there is an event.
    const said = errors.length > 0 ? errors.join("\n") : outputOf(result);
    super(`${command} failed (${result.signal ?? `exit code ${result.exit}`})\n${said}`);
  }
}

function paragraphOf({ urn, message }: Diagnostic): string {
  const name = urn.split("::").at(-1);
  return name === undefined || name === "" ? message : `${name}: ${message}`;
}
