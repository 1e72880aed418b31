import * as pulumi from "@pulumi/pulumi";
import { getOrCreate } from "../../../provider/get-or-create";
import { observeRegistrations, type Registered, type Registration } from "./pulumi-internals";

// Pulumi does not tell a program whether a resource failed in a run with `--continue-on-error`, or which options a
// parent passes to its children. Both are visible in the calls between Pulumi's SDK and the engine, so this module,
// loaded with the package, observes these calls.

/** What was seen of the resources of one run. */
class Seen {
  /** Whether any resource was seen. */
  any = false;
  /** Whether a resource failed, or was left out of the run. */
  anyFailed = false;
  /** Whether a registration got an error in place of an answer. The engine has then failed the run, or has ended. */
  anyRefused = false;
  /** Whether another program constructed a component. Its children are not seen. */
  anyRemote = false;
  /** Per URN, whether the resource stays in place when it is deleted, and its parent. */
  readonly options = new Map<string, { readonly keeps: boolean | undefined; readonly parent: string }>();
}

const runs = new WeakMap<object, Seen>();

/** What was seen of the current run. It is identified by its stack, because a run can have several connections. */
function seenInRun(): Seen | undefined {
  const stack = pulumi.runtime.getStackResource();
  return stack && getOrCreate(runs, stack, () => new Seen());
}

/** Whether every resource that the program has registered so far was deployed, and the program has not failed. */
export function isRunComplete(): boolean {
  const seen = seenInRun();
  // Pulumi logs an error that the program did not catch.
  return seen?.any === true && !seen.anyFailed && !pulumi.log.hasErrors();
}

/** Whether the program has a component that another program constructs, whose failures are not seen. */
export function hasUnseen(): boolean {
  return seenInRun()?.anyRemote === true;
}

/** Whether the run has failed, and its user has been told why. */
export function hasRunFailed(): boolean {
  return seenInRun()?.anyRefused === true || pulumi.log.hasErrors();
}

/**
 * Whether the engine may leave a resource in place when the program, or a `destroy`, deletes it: with `retainOnDelete`
 * or `protect`, set in its own options or passed down by a parent.
 */
export function outlivesItsStack(
  options: pulumi.CustomResourceOptions | undefined,
): boolean | Promise<boolean | undefined> | undefined {
  if (options?.retainOnDelete || options?.protect) return true;
  const { parent } = options ?? {};
  const known = seenInRun()?.options;
  if (parent === undefined || known === undefined) return undefined;
  return new Promise((resolve) => {
    parent.urn.apply((urn) => {
      let above = known.get(urn);
      while (above?.keeps === undefined && above?.parent) above = known.get(above.parent);
      resolve(above?.keeps || undefined);
    });
  });
}

function note(seen: Seen, request: Registration, error: unknown, answer: Registered | undefined): void {
  seen.any = true;
  // The engine answers a creation that `--target` leaves out with success, but without an id.
  const isLeftOut = request.getCustom?.() && answer?.getId?.() === "" && !pulumi.runtime.isDryRun();
  if (error) seen.anyRefused = true;
  if (request.getRemote?.()) seen.anyRemote = true;
  if (error || answer?.getResult?.() || isLeftOut) seen.anyFailed = true;
  const retains = request.hasRetainondelete?.() ? request.getRetainondelete?.() : undefined;
  const keeps = request.getProtect?.() || retains;
  seen.options.set(answer?.getUrn?.() ?? "", { keeps, parent: request.getParent?.() ?? "" });
}

observeRegistrations((request) => {
  const seen = seenInRun();
  return seen && ((error, answer) => note(seen, request, error, answer));
});
