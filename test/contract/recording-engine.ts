import type { Server, ServiceError } from "@grpc/grpc-js";
import type { CheckResponse, DiffResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { PulumiSdk } from "../../testing/engine/program/pulumi-sdk";

export type Values = Record<string, unknown>;

/** Pulumi's marker for a value that a preview does not know yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A message that a provider sent to the engine. */
export interface Logged {
  readonly urn: string;
  readonly message: string;
  readonly severity: number;
  readonly ephemeral: boolean;
}

/** What a provider needs of an engine: an address for its messages. It records them. */
export class RecordingEngine {
  readonly logged: Logged[] = [];

  private constructor(
    private readonly server: Server,
    /** The address that the provider gets as its argument. */
    readonly address: string,
  ) {}

  static async start(sdk: PulumiSdk): Promise<RecordingEngine> {
    const { grpc, engineGrpc, empty } = sdk;
    const server = new grpc.Server();
    const log = ({ request }: { readonly request: LogLike }, done: Done) => {
      engine.logged.push({
        urn: request.getUrn(),
        message: request.getMessage(),
        severity: request.getSeverity(),
        ephemeral: request.getEphemeral(),
      });
      done(null, new empty());
    };
    // The server answers that it has no other method, as an engine can.
    server.addService(engineGrpc.EngineService as never, { log } as never);
    const port = await new Promise<number>((resolve, reject) => {
      const credentials = grpc.ServerCredentials.createInsecure();
      server.bindAsync("127.0.0.1:0", credentials, (error, port) => (error ? reject(error) : resolve(port)));
    });
    const engine = new RecordingEngine(server, `127.0.0.1:${port}`);
    return engine;
  }

  /** Ends the engine like a kill: all its connections close. */
  kill(): void {
    this.server.forceShutdown();
  }
}

/** A resource as a create or an update leaves it. */
export interface Reached {
  readonly id: string;
  readonly outputs: Values;
  /** Why it is not ready. */
  readonly notReady?: string[];
}

/**
 * Makes a call that creates or updates. A resource that is recorded as not ready is no failure.
 * @param read - Reads the outputs in the details of the error.
 */
export async function orNotReady<T extends Reached>(
  sdk: PulumiSdk,
  start: () => Promise<T>,
  read: (struct: Struct | undefined) => Values = fromStruct,
): Promise<T | Reached> {
  try {
    return await start();
  } catch (error) {
    const [bytes] = (error as ServiceError).metadata?.get("grpc-status-details-bin") ?? [];
    if (!Buffer.isBuffer(bytes)) throw error;
    const [detail] = sdk.status.Status.deserializeBinary(bytes).getDetailsList();
    if (detail === undefined) throw error;
    const failure = sdk.provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
    return { id: failure.getId(), outputs: read(failure.getProperties()), notReady: failure.getReasonsList() };
  }
}

/** Why a check refuses its inputs. */
export function failuresOf(response: CheckResponse): string[] {
  return response.getFailuresList().map((failure) => `${failure.getProperty()}${failure.getReason()}`);
}

export function differenceOf(sdk: PulumiSdk, response: DiffResponse) {
  const { DIFF_SOME } = sdk.provider.DiffResponse.DiffChanges;
  return { changes: response.getChanges() === DIFF_SOME, replaces: response.getReplacesList() };
}

export function fromStruct(struct: Struct | undefined): Values {
  return (struct?.toJavaScript() ?? {}) as Values;
}

interface LogLike {
  getUrn(): string;
  getMessage(): string;
  getSeverity(): number;
  getEphemeral(): boolean;
}

type Done = (error: null, response: unknown) => void;
