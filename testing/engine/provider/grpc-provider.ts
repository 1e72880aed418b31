/** Calls a provider over gRPC. Converts values for the wire, and restores what the provider's responses lack. */
import { randomBytes } from "node:crypto";
import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { PulumiSdk } from "../program/pulumi-sdk";
import { forProvider, receiveMap } from "../program/wire";
import type { Properties } from "../state/property";
import { nameOf, typeOf } from "../state/urn";
import { annotateSecrets, containsUnknown } from "../state/values";
import { reachKillPoint } from "./kill-points";
import { call } from "./plugin-process";
import type { CheckAnswer, CheckFailure, DiffAnswer, DiffRequest, Live, Provider, ReadAnswer } from "./provider";

const INIT_FAILED = "pulumirpc.ErrorResourceInitFailed";

/** Messages that name a resource. */
interface Named {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

/** The length of the seed from which a provider can make random inputs, in bytes. */
const SEED_LENGTH = 32;

/** A provider with a configuration. */
export class GrpcProvider implements Provider {
  private client: Promise<ResourceProviderClient> | undefined;

  constructor(
    private readonly sdk: PulumiSdk,
    /** Connects to the provider, which the first call does. */
    private readonly connect: () => Promise<ResourceProviderClient>,
    /** Whether the provider previews creations and updates. Otherwise their inputs are the outputs. */
    private readonly previews: boolean,
  ) {}

  /** Connects before it is needed. If that fails, the first caller that needs the connection gets the error. */
  warmUp(): void {
    this.connected().catch(() => undefined);
  }

  /** Tells the provider that the run is cancelled, if it was started. A response is not required. */
  cancel(): void {
    const request = new this.sdk.empty();
    this.client?.then((client) => client.cancel(request, () => undefined)).catch(() => undefined);
  }

  async check(urn: string, olds: Properties, news: Properties, keepUnknowns: boolean): Promise<CheckAnswer> {
    const request = named(new this.sdk.provider.CheckRequest(), urn);
    request.setOlds(this.struct(olds, keepUnknowns)).setNews(this.struct(news, keepUnknowns));
    request.setRandomseed(new Uint8Array(randomBytes(SEED_LENGTH)));
    const client = await this.connected();
    const response = await plainly(call<CheckResponse>((done) => client.check(request, done)));
    return checkAnswer(response, news, keepUnknowns);
  }

  async diff(
    { urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest,
    keepUnknowns: boolean,
  ): Promise<DiffAnswer> {
    const struct = (properties: Properties) => this.struct(properties, keepUnknowns);
    const request = named(new this.sdk.provider.DiffRequest(), urn);
    request.setId(id).setOlds(struct(oldOutputs)).setNews(struct(newInputs));
    request.setOldInputs(struct(oldInputs)).setIgnorechangesList([...ignoreChanges]);
    const client = await this.connected();
    return diffAnswer(this.sdk, await plainly(call<DiffResponse>((done) => client.diff(request, done))));
  }

  async create(urn: string, inputs: Properties, preview: boolean, timeout = 0): Promise<Live> {
    if (preview && !this.previews) return { id: "", outputs: inputs };
    const request = named(new this.sdk.provider.CreateRequest(), urn);
    request.setProperties(this.struct(inputs, preview)).setPreview(preview).setTimeout(timeout);
    const client = await this.connected();
    const live = await this.operate("create", urn, preview, async () => {
      const response = await call<CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), outputs: fromStruct(response.getProperties(), preview) };
    });
    if (live.id === "" && !preview) throw new Error("the provider returned no id for the created resource");
    return { ...live, outputs: annotateSecrets(live.outputs, inputs) };
  }

  async update(
    { urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest,
    preview: boolean,
    timeout = 0,
  ): Promise<Live> {
    if (preview && !this.previews) return { id, outputs: newInputs };
    const request = named(new this.sdk.provider.UpdateRequest(), urn);
    request.setId(id).setOlds(this.struct(oldOutputs)).setNews(this.struct(newInputs, preview));
    request.setOldInputs(this.struct(oldInputs)).setIgnorechangesList([...ignoreChanges]);
    request.setPreview(preview).setTimeout(timeout);
    const client = await this.connected();
    const live = await this.operate("update", urn, preview, async () => {
      const response = await call<UpdateResponse>((done) => client.update(request, done));
      return { id, outputs: fromStruct(response.getProperties(), preview) };
    });
    return { ...live, outputs: annotateSecrets(live.outputs, newInputs) };
  }

  async read(urn: string, id: string, inputs: Properties, outputs: Properties, timeout = 0): Promise<ReadAnswer> {
    const request = named(new this.sdk.provider.ReadRequest(), urn).setId(id);
    // Older SDKs do not have this.
    (request as { setTimeout?(timeout: number): unknown }).setTimeout?.(timeout);
    request.setInputs(this.struct(inputs)).setProperties(this.struct(outputs));
    const client = await this.connected();
    const found = await this.operate("read", urn, false, async () => {
      const response = await call<ReadResponse>((done) => client.read(request, done));
      const found = { id: response.getId(), outputs: fromStruct(response.getProperties(), false) };
      return response.hasInputs() ? { ...found, inputs: fromStruct(response.getInputs(), false) } : found;
    });
    return {
      ...found,
      outputs: annotateSecrets(found.outputs, outputs),
      ...(found.inputs && { inputs: annotateSecrets(found.inputs, inputs) }),
    };
  }

  async delete(urn: string, id: string, inputs: Properties, outputs: Properties, timeout = 0): Promise<void> {
    const request = named(new this.sdk.provider.DeleteRequest(), urn);
    request.setId(id).setProperties(this.struct(outputs)).setOldInputs(this.struct(inputs));
    request.setTimeout(timeout);
    const client = await this.connected();
    await this.operate("delete", urn, false, async () => {
      await call<Empty>((done) => client.delete(request, done));
      return { id, outputs };
    });
  }

  /** Makes a call that may take effect. A call that took effect but did not finish returns the same kind of result. */
  private async operate(
    method: string,
    urn: string,
    preview: boolean,
    start: () => Promise<ReadAnswer>,
  ): Promise<ReadAnswer> {
    if (!preview) reachKillPoint("before-call", urn, method);
    try {
      return await start();
    } catch (error) {
      const live = this.initFailed(error as ServiceError);
      if (live === undefined) throw plain(error as ServiceError);
      return live;
    } finally {
      if (!preview) reachKillPoint("after-call", urn, method);
    }
  }

  private initFailed(error: ServiceError): Live | undefined {
    const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
    if (!Buffer.isBuffer(bytes)) return undefined;
    for (const detail of this.sdk.status.Status.deserializeBinary(bytes).getDetailsList()) {
      if (detail.getTypeName() !== INIT_FAILED) continue;
      const failure = this.sdk.provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
      return {
        id: failure.getId(),
        outputs: fromStruct(failure.getProperties(), false),
        initErrors: failure.getReasonsList(),
      };
    }
    return undefined;
  }

  private connected(): Promise<ResourceProviderClient> {
    this.client ??= this.connect();
    return this.client;
  }

  private struct(properties: Properties, keepUnknowns = false): Struct {
    return this.sdk.struct.fromJavaScript(forProvider(properties, keepUnknowns));
  }
}

/** Sets the fields of a message that name a resource. */
export function named<Message extends Named>(message: Message, urn: string): Message {
  message.setUrn(urn);
  message.setName(nameOf(urn));
  message.setType(typeOf(urn));
  return message;
}

/** Reads the answer to a check. `asked` are the inputs whose secrets are restored. */
export function checkAnswer(response: CheckResponse, asked: Properties, keepUnknowns: boolean): CheckAnswer {
  return {
    inputs: annotateSecrets(fromStruct(response.getInputs(), keepUnknowns), asked),
    failures: failuresOf(response),
  };
}

function failuresOf(response: CheckResponse): CheckFailure[] {
  const failures = response.getFailuresList();
  return failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
}

/** Reads the answer to a comparison. */
function diffAnswer(sdk: PulumiSdk, response: DiffResponse): DiffAnswer {
  const { DIFF_UNKNOWN, DIFF_SOME } = sdk.provider.DiffResponse.DiffChanges;
  const changes = response.getChanges();
  return {
    ...(changes !== DIFF_UNKNOWN && { changes: changes === DIFF_SOME }),
    replaceKeys: response.getReplacesList(),
    changedKeys: response.getDiffsList(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
  };
}

/** Reads the properties of a response. Rejects unknowns unless they are expected. */
function fromStruct(struct: Struct | undefined, keepUnknowns: boolean): Properties {
  const properties = receiveMap((struct?.toJavaScript() ?? {}) as Properties);
  const unknown = keepUnknowns
    ? undefined
    : Object.keys(properties).find((key) => containsUnknown(properties[key] ?? null));
  if (unknown !== undefined) throw new Error(`the provider returned an unknown value for "${unknown}"`);
  return properties;
}

/** Reduces the error of a call to the provider's own message. */
export async function plainly<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    throw plain(error as ServiceError);
  });
}

function plain(error: ServiceError): Error {
  return new Error(error.details || error.message, { cause: error });
}
