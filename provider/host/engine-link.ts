import { createRequire } from "node:module";
import { connect } from "node:net";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";

/** A message that takes longer is given up: it must not hold up the work it tells of. */
const LOG_DEADLINE_MS = 2_000;

/** How the engine shows a message. */
export type Severity = "info" | "warning";

/**
 * The way from the host process to the engine that started it: messages for the display, and a dead-man's switch.
 * The host outlives an engine that was killed, and would go on making keys that nobody records.
 */
export class EngineLink {
  readonly #address: string;
  readonly #underWay = new Set<Promise<void>>();
  #client: EngineClient | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  /** Calls `onDeath` as soon as the engine is gone, however it went: its end of the connection closes with it. */
  watch(onDeath: () => void): void {
    const [, host, port] = /^(.+):(\d+)$/.exec(this.#address) ?? [];
    if (host === undefined || Number(port) === 0) return;
    const hold = () => {
      const socket = connect({ host, port: Number(port) });
      let connected = false;
      socket.on("connect", () => {
        connected = true;
      });
      // Without a reader the socket would never notice that the other end has closed.
      socket.on("data", () => {});
      socket.on("error", () => {});
      socket.on("close", () => {
        // A living engine drops a connection on which nobody speaks after a while: only one that takes no new
        // connection is gone, be it the first: it may have been killed right after its call.
        if (connected) hold();
        else onDeath();
      });
      socket.unref();
    };
    hold();
  }

  /**
   * Shows a message in the row of a resource. An ephemeral one is replaced by the next; others stay under the
   * resource's diagnostics. A message that cannot be shown is dropped: it must not fail the work it tells of.
   */
  log(urn: string, severity: Severity, text: string, ephemeral: boolean): void {
    const sent = this.#send(urn, severity, text, ephemeral).catch(() => {});
    this.#underWay.add(sent);
    void sent.then(() => this.#underWay.delete(sent));
  }

  /** Resolves when the messages so far have arrived, so that they are seen before the call they belong to ends. */
  async flush(): Promise<void> {
    if (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #send(urn: string, severity: Severity, text: string, ephemeral: boolean): Promise<void> {
    // Loaded from Pulumi's own place: a second copy of gRPC would not work with its classes.
    const fromPulumi = createRequire(require.resolve("@pulumi/pulumi"));
    const grpc = fromPulumi("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
    const proto = fromPulumi("@pulumi/pulumi/proto/engine_pb") as typeof import("@pulumi/pulumi/proto/engine_pb");
    if (this.#client === undefined) {
      const service = fromPulumi(
        "@pulumi/pulumi/proto/engine_grpc_pb",
      ) as typeof import("@pulumi/pulumi/proto/engine_grpc_pb");
      this.#client = new service.EngineClient(this.#address, grpc.credentials.createInsecure());
    }
    const request = new proto.LogRequest();
    request.setSeverity(severity === "warning" ? proto.LogSeverity.WARNING : proto.LogSeverity.INFO);
    request.setMessage(text);
    request.setUrn(urn);
    request.setEphemeral(ephemeral);
    const client = this.#client;
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + LOG_DEADLINE_MS };
      client.log(request, new grpc.Metadata(), options, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
