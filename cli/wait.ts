import type { Command } from "commander";
import type { Operation, WaitProgress } from "../provider/api";
import { formatDuration } from "../provider/duration";
import { isOperationFailed, isTimeout } from "../provider/errors";
import { checkId } from "../provider/ids";
import { counted } from "../provider/text";
import { type AccountFlags, openAccount, withAccount } from "./account";
import { type CommandRun, EXIT } from "./command-run";
import { readWait } from "./duration-option";
import { printTable } from "./table";
import { LiveLines, note, noteError, paint, plain, print, printJson } from "./terminal";

interface WaitFlags extends AccountFlags {
  readonly project: string;
  readonly operation?: readonly string[];
  readonly timeout?: number;
  readonly json?: true;
}

/** Maximum number of operations shown while waiting. */
const MAX_ROWS = 10;

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
  const live = new LiveLines();
  const options = {
    timeoutMs: flags.timeout,
    signal: run.signal,
    onProgress: (progress: WaitProgress) => live.show(progressRows(progress)),
    onWarning: (message: string) => {
      live.clear();
      note(message);
    },
  };
  try {
    const ended = await (refs ? operations.wait(refs, options) : operations.waitUntilIdle(projectId, options));
    live.clear();
    if (flags.json) printJson({ projectId, ended });
    else {
      const what = refs ? "the operations have ended" : "nothing is pending";
      printEnded(ended, `${what} in project ${projectId}`);
    }
  } catch (error) {
    live.clear();
    if (!isOperationFailed(error) && !isTimeout(error)) throw error;
    const failed = isOperationFailed(error) ? error.failed : [];
    if (flags.json)
      printJson({ projectId, failed, pending: error.pending, error: { code: error.code, message: error.message } });
    noteError(error);
    run.exitCode = EXIT.failed;
  }
}

function progressRows({ pending, elapsedMs, errors }: WaitProgress): string[] {
  const shown = pending.slice(0, MAX_ROWS);
  const rows = shown.map(
    ({ action, status, id }) => `  ${plain(action) || "operation"}  ${plain(status) || "?"}  ${id}`,
  );
  const more = pending.length > shown.length ? [`  and ${pending.length - shown.length} more`] : [];
  const trouble = errors > 0 ? `, ${errors} polls without a response` : "";
  return [
    `waiting for ${counted(pending.length, "operation")} (${formatDuration(elapsedMs)}${trouble})`,
    ...rows,
    ...more,
  ];
}

function printEnded(ended: readonly Operation[], state: string): void {
  if (ended.length > 0) {
    const columns = [
      { title: "OPERATION", text: ({ id }: Operation) => id },
      { title: "ACTION", text: ({ action }: Operation) => action, atLeast: 12 },
      { title: "STATUS", text: ({ status }: Operation) => status },
    ];
    printTable(ended, columns);
  }
  print(paint("good", "ready"), `: ${state}`);
}
