import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { toMessage } from "../text";

/** Maximum time of a call, in milliseconds. A message must not delay the work that it reports. */
const DEADLINE_MS = 2_000;

/** Minimum time between two connections to the engine, in milliseconds. */
const PAUSE_MS = 500;

/** Maximum time until an engine answers on a new connection, in milliseconds. */
const ANSWER_MS = 5_000;

/** Pulumi's modules for calls to the engine. Each front end loads them in its own way. */
export interface EngineModules {
  readonly grpc: typeof import("@grpc/grpc-js");
  readonly messages: typeof import("@pulumi/pulumi/proto/engine_pb");
  readonly service: typeof import("@pulumi/pulumi/proto/engine_grpc_pb");
}

/** How the engine shows a message. The next one replaces `progress`; others stay in the resource's diagnostics. */
export type Severity = "progress" | "info" | "warning";

/**
 * The connection from this process to the engine that started it. It shows messages, and detects when the engine is
 * gone: this process outlives a killed engine, and would continue to create keys that no state records.
 */
export class EngineLink {
  readonly #underWay = new Set<Promise<void>>();
  #client: EngineClient | undefined;
  #modules: EngineModules | undefined;

  /**
   * @param address - The engine's address; empty if there is no engine.
   * @param load - Loads the modules, before the first message.
   */
  constructor(
    readonly address: string,
    private readonly load: () => EngineModules,
  ) {}

  /** Whether an engine has started this process, and not a person. */
  get isGiven(): boolean {
    const colon = this.address.lastIndexOf(":");
    return colon > 0 && Number(this.address.slice(colon + 1)) > 0;
  }

  /** Calls `onDeath` as soon as the engine's process is gone, because that closes its end of the connection. */
  watch(onDeath: () => void): void {
    if (!this.isGiven) return;
    const hold = (isFirst: boolean) => {
      const began = performance.now();
      // It must speak the engine's protocol: an engine that ends its server waits minutes for the handshake of a silent
      // connection.
      const session = connect(`http://${this.address}`);
      let isEngine = false;
      const proven = () => {
        isEngine = true;
      };
      // Later, another program can have the port of an engine that is gone.
      session.on("connect", isFirst ? proven : () => askEngine(session, proven));
      session.on("error", () => {});
      // The engine is about to close the connection, and waits for this end.
      session.on("goaway", () => session.destroy());
      session.on("close", () => {
        // A running engine can close a connection. It is gone only if it answers on no new one.
        // This also applies to the first one, because the engine may have been killed right after its call.
        if (isEngine) setTimeout(hold, began + PAUSE_MS - performance.now(), false).unref();
        else onDeath();
      });
      session.unref();
    };
    hold(true);
  }

  /** Shows a message in the row of a resource. One that cannot be shown is dropped: it must not fail the work. */
  log(urn: string, severity: Severity, text: string): void {
    if (this.address === "") return;
    const sent = this.#send(urn, severity, text).catch(() => {});
    this.#underWay.add(sent);
    void sent.then(() => this.#underWay.delete(sent));
  }

  /** Resolves when all messages so far have arrived, so that they are shown before their call ends. */
  async flush(): Promise<void> {
    if (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #send(urn: string, severity: Severity, text: string): Promise<void> {
    this.#modules ??= this.load();
    const { grpc, messages, service } = this.#modules;
    const request = new messages.LogRequest();
    request.setSeverity(severity === "warning" ? messages.LogSeverity.WARNING : messages.LogSeverity.INFO);
    request.setMessage(toMessage(text));
    request.setUrn(urn);
    request.setEphemeral(severity === "progress");
    this.#client ??= new service.EngineClient(this.address, grpc.credentials.createInsecure());
    const client = this.#client;
    return new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + DEADLINE_MS };
      client.log(request, new grpc.Metadata(), options, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}

/** Calls `proven` if an engine answers on a connection, and closes any other connection. */
function askEngine(session: ClientHttp2Session, proven: () => void): void {
  // Written by hand, because gRPC would keep connections of its own. The message is empty: five bytes of zero.
  const call = session.request({
    ":method": "POST",
    ":path": "/pulumirpc.Engine/GetRootResource",
    "content-type": "application/grpc",
    te: "trailers",
  });
  let isEngine = false;
  const see = (headers: IncomingHttpHeaders) => {
    if (headers["grpc-status"] !== "0") return;
    isEngine = true;
    proven();
  };
  call
    .on("response", see)
    .on("trailers", see)
    .on("error", () => {});
  call.setTimeout(ANSWER_MS, () => session.destroy());
  call.on("close", () => {
    if (!isEngine) session.destroy();
  });
  call.resume().end(Buffer.alloc(5));
}
