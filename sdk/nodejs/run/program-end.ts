import { sep } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import { typeToken } from "../shim";
import { knownValue } from "./known-value";

/**
 * Resolves when the program has nothing left to do: its last line has run and every resource it registered has an
 * answer. Never resolves when the program failed.
 * @param stack - The program's root resource.
 */
export function programEnd(stack: pulumi.Resource): Promise<void> {
  return isInline() ? whenTreeIsComplete(stack) : whenProcessIsIdle();
}

/**
 * Whether the program shares its process with the code that deploys it, as inline programs of the Automation API do.
 * Pulumi keeps the state of each inline program in an asynchronous local store.
 */
function isInline(): boolean {
  const { asyncLocalStorage } = globalThis as { asyncLocalStorage?: { getStore?: () => unknown } };
  if (typeof asyncLocalStorage?.getStore === "function") return asyncLocalStorage.getStore() !== undefined;
  return !(require.main?.filename ?? "").includes(["@pulumi", "pulumi", "cmd", "run"].join(sep));
}

/**
 * An idle event loop is the exact sign: a request, a timer or a registration would keep it busy. Pulumi waits for
 * listeners of this event, and for the resources that they register, before it ends a run.
 */
function whenProcessIsIdle(): Promise<void> {
  return new Promise((resolve) => {
    process.once("beforeExit", (code) => {
      if (code === 0) resolve();
    });
  });
}

/** Waits until the program's function has returned and its tree of resources neither waits for anything nor grows. */
async function whenTreeIsComplete(stack: pulumi.Resource): Promise<void> {
  await knownValue((stack as unknown as { readonly outputs: pulumi.Output<unknown> }).outputs);
  for (let count = -1, resources = below(stack); count !== resources.length; resources = below(stack)) {
    count = resources.length;
    await Promise.all(resources.map(({ urn }) => knownValue(urn)));
    // What depends on them is registered in the following turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  }
}

interface Node extends pulumi.Resource {
  readonly __childResources?: ReadonlySet<Node>;
  readonly __pulumiType?: string;
}

/** All resources below one, but ledgers, which wait for the others. */
function below(resource: Node): Node[] {
  const children = [...(resource.__childResources ?? [])];
  return children
    .filter((child) => child.__pulumiType !== typeToken("Ledger"))
    .flatMap((child) => [child, ...below(child)]);
}
