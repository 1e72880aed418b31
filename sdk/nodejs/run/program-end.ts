import * as pulumi from "@pulumi/pulumi";
import type { ErrorCode } from "../../../provider/errors";
import { REPORTED, type RunSettings, runStores, stackOutputs } from "./pulumi-internals";
import { hasRunFailed } from "./watch-registrations";

export type ProgramProcess = Pick<NodeJS.Process, "prependOnceListener" | "prependListener" | "exitCode" | "stderr">;

/**
 * Declares the last resources of a run.
 * @param end - `isProven`: whether the program is certainly done.
 * @returns resolves when the engine has answered.
 */
export type Finish = (end: { readonly isProven: boolean }) => Promise<unknown>;

/**
 * Calls back when the program is done: its last line has run, and every resource that it registered has an answer.
 * Resources declared in the callback still belong to the run. If the program ends before it is done, there is no
 * callback, and the run fails.
 * @param stack - The program's root resource.
 */
export function programEnd(stack: pulumi.Resource, finish: Finish, program: ProgramProcess = process): void {
  const inline = runStores.getLocalStore();
  if (inline === undefined) whenProcessIsIdle(stack, finish, program);
  else void whenRunIsIdle(stack, inline.settings, finish);
}

/**
 * An idle event loop shows that nothing happens any more: a request, a timer or a registration would keep it busy.
 * Pulumi waits for listeners of this event, and for the resources that they register, before it ends a run. An exit
 * code other than 0 fails the run, and the engine deletes nothing.
 */
function whenProcessIsIdle(stack: pulumi.Resource, finish: Finish, program: ProgramProcess): void {
  let isOver = false;
  // Runs first, because a resource that another listener registers would look like one that waits forever. The ledger
  // waits for it.
  program.prependOnceListener("beforeExit", async (code) => {
    if (code !== 0) return;
    const { settings } = runStores.getStore();
    const end = await endOf(stack, settings);
    if (end === "stuck" && !pulumi.runtime.isDryRun()) {
      if (!hasRunFailed()) void pulumi.log.error(textOfCode("KP-PROGRAM-STUCK"));
      program.exitCode = REPORTED;
      return;
    }
    // A preview may wait for values that only an update knows. It changes nothing, so it goes on.
    isOver = end === "stuck";
    const declareLast = async () => {
      await finish({ isProven: end === "done" });
      isOver = true;
    };
    if (end === "done") whenCallsHaveEnded(settings, declareLast);
    else void declareLast();
  });
  // Runs before the listener with which Pulumi reports unresolved promises, which would be a second message.
  program.prependListener("exit", (code) => {
    if (code !== 0 || isOver || hasRunFailed()) return;
    program.stderr.write(`${textOfCode("KP-PROGRAM-EXITED")}\n`);
    program.exitCode = 1;
  });
}

const MESSAGES = {
  "KP-PROGRAM-STUCK":
    "this program waits forever: an await, an exported value or an input of a resource is a promise that never resolves. " +
    "The program may not have declared everything, so Pulumi deletes nothing and keyplane revokes no key. Look for the " +
    "last await that the program reaches, and make its promise resolve or reject",
  "KP-PROGRAM-EXITED":
    "keyplane: this program called process.exit before Pulumi had finished the run. The program may not have declared " +
    "everything, so the run fails: Pulumi deletes nothing and keyplane revokes no key. Remove process.exit; a program " +
    "ends by itself when its servers and timers are closed",
} satisfies Partial<Record<ErrorCode, string>>;

/** The text of an error that nobody throws, because the program has ended. */
const textOfCode = (code: keyof typeof MESSAGES): string => `${MESSAGES[code]} [${code}]`;

/** How a program ended whose process is idle. `unproven` if it failed, or if Pulumi's SDK does not show its end. */
async function endOf(stack: pulumi.Resource, { rpcDone }: RunSettings): Promise<"done" | "stuck" | "unproven"> {
  const outputs = stackOutputs(stack);
  if (outputs === undefined || rpcDone === undefined) return "unproven";
  const ended = Promise.all([outputs, rpcDone]).then(
    () => "done" as const,
    () => "unproven" as const,
  );
  return Promise.race([ended, new Promise(setImmediate).then(() => "stuck" as const)]);
}

/** Pulumi ends the run of an inline program when its function has returned and `rpcDone` has resolved. */
async function whenRunIsIdle(stack: pulumi.Resource, settings: RunSettings, finish: Finish): Promise<void> {
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  settings.rpcDone = settings.rpcDone.then(() => isHeld);
  try {
    const outputs = stackOutputs(stack);
    await outputs;
    whenCallsHaveEnded(settings, () => finish({ isProven: outputs !== undefined }));
  } catch {
    // The program failed, and Pulumi reports why.
  } finally {
    release();
  }
}

/** Calls back when all calls to the engine have ended, including those made in the meantime. */
function whenCallsHaveEnded(settings: RunSettings, finish: () => unknown): void {
  const ended = settings.rpcDone.then(async () => {
    // Resources that depend on an answer are registered in the following turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    if (settings.rpcDone === ended) finish();
    else whenCallsHaveEnded(settings, finish);
  });
  settings.rpcDone = ended;
}
