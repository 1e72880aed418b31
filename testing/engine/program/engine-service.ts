/** The gRPC service that programs and providers use for messages and for the root resource of the stack. */
import type { handleUnaryCall, Server } from "@grpc/grpc-js";
import type { LogRequest, SetRootResourceRequest } from "@pulumi/pulumi/proto/engine_pb";
import type { Diagnostics } from "../run/diagnostics";
import type { Severity } from "../run/events";
import type { PulumiSdk } from "./pulumi-sdk";

const SEVERITIES: readonly Severity[] = ["debug", "info", "warning", "error"];

/** Adds the service to a server. */
export function serveEngine(server: Server, sdk: PulumiSdk, diagnostics: Diagnostics): void {
  let root = "";
  const log: handleUnaryCall<LogRequest, unknown> = ({ request }, callback) => {
    const severity = SEVERITIES[request.getSeverity()] ?? "info";
    if (severity === "error") diagnostics.errors++;
    diagnostics.report(severity, request.getUrn(), request.getMessage(), request.getEphemeral(), request.getStreamid());
    callback(null, new sdk.empty());
  };
  const getRootResource: handleUnaryCall<unknown, unknown> = (_call, callback) => {
    callback(null, new sdk.engine.GetRootResourceResponse().setUrn(root));
  };
  const setRootResource: handleUnaryCall<SetRootResourceRequest, unknown> = ({ request }, callback) => {
    root = request.getUrn();
    callback(null, new sdk.engine.SetRootResourceResponse());
  };
  server.addService(sdk.engineGrpc.EngineService as never, { log, getRootResource, setRootResource } as never);
}
