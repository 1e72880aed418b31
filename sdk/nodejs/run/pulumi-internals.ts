import * as pulumi from "@pulumi/pulumi";

// All that keyplane uses of Pulumi's SDK and that is not public. Versions 3.139.0, 3.248.0 and 3.270.0 have all of it. Each
// comment says what happens without it. `test/unit/sdk/` has the tests.

/** An output's value. Unlike `apply`, it also resolves, to `undefined`, for a value that a preview does not know. */
export function knownValue<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  // Without `promise`, no key can be declared.
  return (output as unknown as { promise(): Promise<T | undefined> }).promise();
}

/** An output's value, or Pulumi's mark for one that a preview does not know. */
export async function settled(output: pulumi.Output<string>): Promise<string> {
  // Without `isKnown`, each value counts as unknown, so that `up` fails.
  const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
  return (await isKnown) ? ((await knownValue(output)) as string) : (pulumi.unknown as never);
}

/** Whether a unit test has called `pulumi.runtime.setMocks`. Without the name, a test with mocks also gets a ledger. */
export function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}

/**
 * Resolves when the program's module or function has ended and every exported value is known. Rejects if the program
 * failed. `undefined` without `outputs`: then no run counts as complete, so that nothing is revoked.
 */
export function stackOutputs(stack: pulumi.Resource): Promise<unknown> | undefined {
  const { outputs } = stack as { readonly outputs?: pulumi.Output<unknown> };
  return outputs && knownValue(outputs);
}

/** Pulumi's settings of a run. */
export interface RunSettings {
  /**
   * Resolves when all resources are registered and all calls to the engine have ended. Without it, no run of the CLI
   * counts as complete, and inline programs fail.
   */
  rpcDone: Promise<unknown>;
}

/** The settings of runs. Without it, no key can be declared. */
export const runStores = require("@pulumi/pulumi/runtime/state") as {
  /** The inline programs of the Automation API share a process. `undefined` in a program with its own process. */
  getLocalStore(): { readonly settings: RunSettings } | undefined;
  getStore(): { readonly settings: RunSettings };
};

/** A program that ends with this code has reported why. Without it, the run fails with one more message. */
export const REPORTED = 32;

/** The children of a component. Without it, a data source does not wait for them. */
export function childrenOf(component: pulumi.Resource): readonly pulumi.Resource[] {
  const { __childResources: children = [] } = component as { readonly __childResources?: Iterable<pulumi.Resource> };
  return [...children];
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

/** The call that registers a resource. */
export interface Registration {
  getCustom?(): boolean;
  getParent?(): string;
  getRemote?(): boolean;
  getProtect?(): boolean;
  hasRetainondelete?(): boolean;
  getRetainondelete?(): boolean;
}

/** The engine's answer to it. */
export interface Registered {
  getUrn?(): string;
  getId?(): string;
  getResult?(): number;
}

type Answered = (error: unknown, answer?: Registered) => void;

interface Monitor {
  registerResource(request: Registration, answered: Answered): unknown;
}

/**
 * Observes the registrations of resources: `begin` is called before each, and what it returns gets the answer. Without the
 * method, nothing is seen. Then no run counts as complete, so that nothing is revoked, and a component passes nothing.
 */
export function observeRegistrations(begin: (request: Registration) => Answered | undefined): void {
  const { ResourceMonitorClient } = require("@pulumi/pulumi/proto/resource_grpc_pb") as {
    ResourceMonitorClient?: { readonly prototype: Monitor };
  };
  const prototype = ResourceMonitorClient?.prototype;
  const register = prototype?.registerResource;
  if (prototype === undefined || typeof register !== "function") return;
  prototype.registerResource = function (this: Monitor, request, answered) {
    const seen = begin(request);
    return register.call(this, request, (error, answer) => {
      seen?.(error, answer);
      answered(error, answer);
    });
  };
}
