import { sep } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { settled } from "./settled";
import { typeToken } from "./shim";

/**
 * Resolves when the program has nothing left to do: its last line has run and every resource it registered has
 * answered. Never resolves when the program failed.
 */
export function whenProgramHasEnded(): Promise<void> {
  return isOwnProcess() ? whenProcessIsIdle() : whenInlineProgramIsIdle();
}

/** Whether Pulumi's language runtime has started this process for the program alone. */
function isOwnProcess(): boolean {
  return (require.main?.filename ?? "").includes(["@pulumi", "pulumi", "cmd", "run"].join(sep));
}

/**
 * An empty event loop is the exact sign: a request, a timer or a resource under way would hold it up. Pulumi waits
 * for handlers of this event, and for the resources they register, before it ends a run.
 */
function whenProcessIsIdle(): Promise<void> {
  return new Promise((resolve) => {
    process.once("beforeExit", (code) => {
      if (code === 0) resolve();
    });
  });
}

/** An inline program shares its process: there the end of its function, and of all resources since, has to do. */
async function whenInlineProgramIsIdle(): Promise<void> {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return;
  const seen: pulumi.Resource[] = [];
  pulumi.runtime.registerStackTransformation(({ type, resource }) => {
    // The ledger is what waits here.
    if (type !== typeToken("Ledger")) seen.push(resource);
    return undefined;
  });
  await settled(stack.outputs);
  for (let count = -1; count !== seen.length; ) {
    count = seen.length;
    await Promise.all(seen.map((resource) => settled(resource.urn)));
    // What depends on those resources is registered in the turns of the event loop that follow.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  }
}
