import { createRequire } from "node:module";

/** What the engine calls when a person has cancelled the run with Ctrl+C. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/** The part of gRPC's server that is relied on: for each call, it looks the handler up by a method of its prototype. */
interface HandlerLookUp {
  _retrieveHandler?: (path: unknown, ...others: unknown[]) => unknown;
}

/**
 * Calls back whenever the engine cancels the run. Pulumi's dynamic host answers that call itself and does not tell its
 * providers, so the look-up of the call's handler is observed. Where gRPC has no such look-up, nothing is ever told: a
 * cancelled run then goes on until its waits are over.
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

/** The prototype of the host's server. Its own copy of gRPC counts: the project can have others. */
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
