import { sep } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { knownValue } from "./known-value";

/**
 * Calls back when the program has nothing left to do: its last line has run, and every resource that it registered has an
 * answer. What is declared in the callback still belongs to the run. Never calls back when the program failed.
 * @param stack - The program's root resource.
 */
export function programEnd(stack: pulumi.Resource, finish: () => void): void {
  if (isInline()) void whenTreeIsComplete(stack, finish);
  else whenProcessIsIdle(finish);
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
function whenProcessIsIdle(finish: () => void): void {
  process.once("beforeExit", (code) => {
    if (code === 0) finish();
  });
}

/** Waits until the program's function has returned and its tree of resources neither waits for anything nor grows. */
async function whenTreeIsComplete(stack: pulumi.Resource, finish: () => void): Promise<void> {
  const release = holdOpen();
  try {
    await knownValue((stack as unknown as { readonly outputs: pulumi.Output<unknown> }).outputs);
    for (let count = -1, resources = below(stack); count !== resources.length; resources = below(stack)) {
      count = resources.length;
      await Promise.all(resources.map(({ urn }) => knownValue(urn)));
      // What depends on them is registered in the following turns of the event loop.
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    }
    finish();
  } catch {
    // The program failed, and Pulumi reports why.
  } finally {
    release();
  }
}

/** Keeps Pulumi from ending the run of an inline program. The result lets it go. */
function holdOpen(): () => void {
  const { asyncLocalStorage } = globalThis as { asyncLocalStorage?: { getStore?: () => unknown } };
  const { leakCandidates = new Set() } = (asyncLocalStorage?.getStore?.() ?? {}) as { leakCandidates?: Set<unknown> };
  const before = new Set(leakCandidates);
  const release = (pulumi.runtime as unknown as { rpcKeepAlive(): () => void }).rpcKeepAlive();
  // It is pending on purpose: a stack that the program itself deploys must not fail because of it.
  for (const each of leakCandidates) if (!before.has(each)) leakCandidates.delete(each);
  return release;
}

interface Node extends pulumi.Resource {
  readonly __childResources?: ReadonlySet<Node>;
}

/** All resources below one. */
function below(resource: Node): Node[] {
  return [...(resource.__childResources ?? [])].flatMap((child) => [child, ...below(child)]);
}
