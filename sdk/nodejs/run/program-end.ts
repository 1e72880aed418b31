import type * as pulumi from "@pulumi/pulumi";
import { knownValue } from "./known-value";

/**
 * Calls back when the program is done: its last line has run, and every resource that it registered has an answer.
 * Resources declared in the callback still belong to the run. If the run has certainly failed, there is no callback.
 * @param stack - The program's root resource.
 */
export function programEnd(stack: pulumi.Resource, finish: () => void): void {
  const inline = state.getLocalStore();
  if (inline === undefined) whenProcessIsIdle(finish);
  else void whenRunIsIdle(stack, inline.settings, finish);
}

/** Pulumi's settings of a run. */
interface RunSettings {
  /** Resolves when all calls to the engine so far have ended. */
  rpcDone: Promise<unknown>;
}

/** The module of Pulumi's SDK that separates the inline programs of the Automation API, which share a process. */
const state = require("@pulumi/pulumi/runtime/state") as {
  /** `undefined` in a program with its own process. */
  getLocalStore(): { readonly settings: RunSettings } | undefined;
};

/**
 * An idle event loop shows exactly this: a request, a timer or a registration would keep it busy. Pulumi waits for
 * listeners of this event, and for the resources that they register, before it ends a run.
 */
function whenProcessIsIdle(finish: () => void): void {
  process.once("beforeExit", (code) => {
    if (code === 0) finish();
  });
}

/** Pulumi ends the run of an inline program when its function has returned and `rpcDone` has resolved. */
async function whenRunIsIdle(stack: pulumi.Resource, settings: RunSettings, finish: () => void): Promise<void> {
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  settings.rpcDone = settings.rpcDone.then(() => isHeld);
  try {
    await knownValue((stack as unknown as { readonly outputs: pulumi.Output<unknown> }).outputs);
    whenCallsHaveEnded(settings, finish);
  } catch {
    // The program failed, and Pulumi reports why.
  } finally {
    release();
  }
}

/** Calls back when all calls to the engine have ended, including those made in the meantime. */
function whenCallsHaveEnded(settings: RunSettings, finish: () => void): void {
  const ended = settings.rpcDone.then(async () => {
    // Resources that depend on an answer are registered in the following turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    if (settings.rpcDone === ended) finish();
    else whenCallsHaveEnded(settings, finish);
  });
  settings.rpcDone = ended;
}
