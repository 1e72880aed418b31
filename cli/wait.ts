import type { Command } from "commander";
import type { Operation, WaitProgress } from "../provider/api";
import { formatDuration } from "../provider/duration";
import { isOperationFailed, isTimeout } from "../provider/errors";
import { checkId } from "../provider/ids";
import { counted } from "../provider/text";
import { type AccountFlags, openAccount, withAccount } from "./account";
import { type CommandRun, EXIT } from "./command-run";
import { readWait } from "./duration-option";
import { paint, plain, print, printError, printInfo, printJson, printTable, showProgress } from "./output";

interface WaitFlags extends AccountFlags {
  readonly project: string;
  readonly operation?: readonly string[];
  readonly timeout?: number;
  readonly json?: true;
}

/** `keyplane wait`: waits until a project's operations have ended. */
export function addWait(program: Command, run: CommandRun): void {
  const command = program
    .command("wait")
    .description("waits until a project has no pending operation")
    .requiredOption("--project <id>", "the project")
    .option("--operation <id...>", "waits for these operations instead of all pending ones")
    .option("--timeout <duration>", "the longest wait (default: KEYPLANE_OPERATION_TIMEOUT, 30m)", readWait)
    .option("--json", "prints JSON");
  withAccount(command).action((flags: WaitFlags) => wait(flags, run));
}

async function wait(flags: WaitFlags, run: CommandRun): Promise<void> {
  const projectId = checkId("project", flags.project, "--project");
  const refs = flags.operation?.map((id) => ({ projectId, id: checkId("operation", id, "--operation") }));
  const { operations } = openAccount(flags);
  const options = {
    timeoutMs: flags.timeout,
    signal: run.signal,
    onProgress: (progress: WaitProgress) => showProgress(progressLine(progress)),
    onWarning: (message: string) => {
      showProgress("");
      printInfo(message);
    },
  };
  try {
    const ended = await (refs ? operations.wait(refs, options) : operations.waitUntilIdle(projectId, options));
    showProgress("");
    if (flags.json) printJson({ projectId, ended });
    else {
      const what = refs ? "the operations have ended" : "nothing is pending";
      printEnded(ended, `${what} in project ${projectId}`);
    }
  } catch (error) {
    showProgress("");
    if (!isOperationFailed(error) && !isTimeout(error)) throw error;
    const failed = isOperationFailed(error) ? error.failed : [];
    if (flags.json)
      printJson({ projectId, failed, pending: error.pending, error: { code: error.code, message: error.message } });
    printError(error);
    run.exitCode = EXIT.failed;
  }
}

function progressLine({ pending, elapsedMs, errors }: WaitProgress): string {
  const [first] = pending;
  const trouble = errors > 0 ? `, ${errors} polls without a response` : "";
  const what = first === undefined ? "" : `: ${plain(first.action) || "operation"} ${plain(first.status)} ${first.id}`;
  return `waiting for ${counted(pending.length, "operation")} (${formatDuration(elapsedMs)}${trouble})${what}`;
}

function printEnded(ended: readonly Operation[], state: string): void {
  if (ended.length > 0) {
    const columns = [
      { title: "OPERATION", text: ({ id }: Operation) => id },
      { title: "ACTION", text: ({ action }: Operation) => action },
      { title: "STATUS", text: ({ status }: Operation) => status },
    ];
    printTable(ended, columns);
  }
  print(paint("good", "ready"), `: ${state}`);
}
