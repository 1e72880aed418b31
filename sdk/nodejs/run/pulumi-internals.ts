import * as pulumi from "@pulumi/pulumi";

// All that keyplane uses of Pulumi's SDK and that is not public. Each comment says what happens without it.
// `test/unit/sdk/` has the tests.

/**
 * Whether a unit test has called `pulumi.runtime.setMocks`. Without the name, data sources in such a test send requests,
 * and its keys get a seed.
 */
export function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}

/** The children of a component. Without it, a data source does not wait for them. */
export function childrenOf(component: pulumi.Resource): readonly pulumi.Resource[] {
  const { __childResources: children = [] } = component as { readonly __childResources?: Iterable<pulumi.Resource> };
  return [...children];
}

/** Whether a resource is protected, itself or by its parent. Without `__protect`, only its own option counts. */
export function isProtected({ protect, parent }: pulumi.CustomResourceOptions = {}): boolean {
  return protect ?? (parent as { readonly __protect?: boolean } | undefined)?.__protect ?? false;
}

/** Makes Pulumi show only the message of an error. Returns false if it already does. Otherwise it adds the stack. */
export function showOnlyMessage(error: Error): boolean {
  const mark = "__pulumiRunError";
  if (mark in error) return false;
  Object.defineProperty(error, mark, { value: true });
  return true;
}

/** Changes Pulumi's debug messages. Without `debug`, they stay as they are. */
export function rewriteDebug(rewrite: (message: string) => string): void {
  const log = require("@pulumi/pulumi/log") as { debug?: (message: string, ...others: unknown[]) => unknown };
  const { debug } = log;
  if (typeof debug === "function") log.debug = (message, ...others) => debug(rewrite(message), ...others);
}

/** Whether the stack's configuration has a key as a secret. Without `isConfigSecret`, nobody knows: `undefined`. */
export function isConfigSecret(key: string): boolean | undefined {
  const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key);
}

/**
 * Whether the program shares its process with others: an inline program of the Automation API. Without `getLocalStore`, no
 * key can be declared.
 */
export function isInlineProgram(): boolean {
  const runs = require("@pulumi/pulumi/runtime/state") as { getLocalStore(): unknown };
  return runs.getLocalStore() !== undefined;
}
