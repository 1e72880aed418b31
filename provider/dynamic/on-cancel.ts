import { createRequire } from "node:module";

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
export function onCancel(callback: () => void): void {
  const lookUp = hostServer();
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
