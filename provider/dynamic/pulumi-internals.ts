import { createRequire } from "node:module";
import type { EngineModules } from "../session/engine-link";

// All that keyplane uses of Pulumi's dynamic host and of its gRPC and that is not public.

/** The call that the engine makes when a user cancels the run with Ctrl+C. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/** The part of gRPC's server that is used here: a prototype method that looks up the handler of each call. */
interface HandlerLookUp {
  _retrieveHandler?: (path: unknown, ...others: unknown[]) => unknown;
}

/**
 * Calls back whenever the engine cancels the run. Pulumi's dynamic host handles that call without telling its
 * providers, so this function observes the look-up of the call's handler. If gRPC has no such look-up, the callback is
 * never called, and a cancelled run continues until its waits are over.
 */
export function onCancel(callback: () => void, lookUp: HandlerLookUp | undefined = hostServer()): void {
  const original = lookUp?._retrieveHandler;
  if (lookUp === undefined || typeof original !== "function") return;
  lookUp._retrieveHandler = function (this: unknown, path, ...others) {
    if (path === CANCEL) callback();
    return original.call(this, path, ...others);
  };
}

/** The prototype of the host's server, from the host's own copy of gRPC. The project can have other copies. */
function hostServer(): HandlerLookUp | undefined {
  const host = require.main?.filename;
  if (host === undefined) return undefined;
  try {
    const grpc = createRequire(host)("@grpc/grpc-js") as { Server?: { prototype?: HandlerLookUp } };
    return grpc.Server?.prototype;
  } catch {
    return undefined;
  }
}

/**
 * Pulumi's modules for calls to the engine, from Pulumi's dependencies: a second copy of gRPC would not work with its
 * classes. Without them, whatever shows a message or creates a key fails.
 */
export function pulumiModules(): EngineModules {
  const fromPulumi = createRequire(require.resolve("@pulumi/pulumi"));
  return {
    grpc: fromPulumi("@grpc/grpc-js") as EngineModules["grpc"],
    messages: fromPulumi("@pulumi/pulumi/proto/engine_pb") as EngineModules["messages"],
    service: fromPulumi("@pulumi/pulumi/proto/engine_grpc_pb") as EngineModules["service"],
  };
}
