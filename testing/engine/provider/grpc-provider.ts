/** Calls a provider over gRPC. Converts values for the wire, and restores what the provider's responses lack. */
import { randomBytes } from "node:crypto";
import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { PulumiSdk } from "../program/pulumi-sdk";
import { forProvider, mapValues, receiveMap } from "../program/wire";
import { type Properties, secretOf } from "../state/property";
import { nameOf, typeOf } from "../state/urn";
import { annotateSecrets, containsSecret, containsUnknown } from "../state/values";
import { reachKillPoint } from "./kill-points";
import { call } from "./plugin-process";
import type {
  CheckAnswer,
  CheckFailure,
  DiffAnswer,
  DiffRequest,
  InvokeAnswer,
  Live,
  PackageProvider,
  ReadAnswer,
} from "./provider";

const INIT_FAILED = "pulumirpc.ErrorResourceInitFailed";

/** Messages that name a resource. */
interface Named {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

/** What a provider understands. */
export interface Capabilities {
  /** Whether requests contain secrets as such. Otherwise they are in plain text, and are restored by key. */
  readonly acceptsSecrets: boolean;
  /** Whether requests contain references to resources as such. Otherwise they are the resources' ids or URNs. */
  readonly acceptsResources: boolean;
  /** Whether creations and updates are previewed by the provider. Otherwise their inputs are the outputs. */
  readonly previews: boolean;
}

/** What the dynamic host and the simplest plugins understand. */
export const NO_CAPABILITIES: Capabilities = { acceptsSecrets: false, acceptsResources: false, previews: false };

const CONFIG_UNKNOWN =
  "The provider of this resource has inputs that this preview does not know. The preview may not show the changes " +
  "that the update makes.";

/** The length of the seed from which a provider can make random inputs, in bytes. */
const SEED_LENGTH = 32;

/** A provider with a configuration. */
export class GrpcProvider implements PackageProvider {
  private client: Promise<ResourceProviderClient> | undefined;

  constructor(
    private readonly sdk: PulumiSdk,
    /** Connects to the provider, which the first call does. */
    private readonly connect: () => Promise<ResourceProviderClient>,
    /** Resolves when the provider is configured. Without capabilities if parts of its configuration are unknown. */
    private readonly configured: Promise<Capabilities | undefined>,
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
    const can = await this.configured;
    if (can === undefined) return { inputs: news, failures: [] };
    const request = named(new this.sdk.provider.CheckRequest(), urn);
    request.setOlds(this.struct(olds, can, keepUnknowns)).setNews(this.struct(news, can, keepUnknowns));
    request.setRandomseed(new Uint8Array(randomBytes(SEED_LENGTH)));
    const client = await this.connected();
    const response = await plainly(call<CheckResponse>((done) => client.check(request, done)));
    return checkAnswer(response, can.acceptsSecrets ? {} : news, keepUnknowns);
  }

  async diff(
    { urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest,
    keepUnknowns: boolean,
  ): Promise<DiffAnswer> {
    const can = await this.configured;
    if (can === undefined) return { replaceKeys: [], deleteBeforeReplace: false, unavailable: CONFIG_UNKNOWN };
    const struct = (properties: Properties) => this.struct(properties, can, keepUnknowns);
    const request = named(new this.sdk.provider.DiffRequest(), urn);
    request.setId(id).setOlds(struct(oldOutputs)).setNews(struct(newInputs));
    request.setOldInputs(struct(oldInputs)).setIgnorechangesList([...ignoreChanges]);
    const client = await this.connected();
    return diffAnswer(this.sdk, await plainly(call<DiffResponse>((done) => client.diff(request, done))));
  }

  async create(urn: string, inputs: Properties, preview: boolean, timeout = 0): Promise<Live> {
    const can = await this.configured;
    if (preview && can === undefined) return { id: "", outputs: {} };
    if (can === undefined) throw configUnknown(urn);
    if (preview && !can.previews) return { id: "", outputs: inputs };
    const request = named(new this.sdk.provider.CreateRequest(), urn);
    request
      .setProperties(this.struct(inputs, can, preview))
      .setPreview(preview)
      .setTimeout(timeout);
    const client = await this.connected();
    const live = await this.operate("create", urn, preview, async () => {
      const response = await call<CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), outputs: fromStruct(response.getProperties(), preview) };
    });
    if (live.id === "" && !preview) throw new Error("the provider returned no id for the created resource");
    return can.acceptsSecrets ? live : { ...live, outputs: annotateSecrets(live.outputs, inputs) };
  }

  async update(
    { urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest,
    preview: boolean,
    timeout = 0,
  ): Promise<Live> {
    const can = await this.configured;
    if (preview && can === undefined) return { id, outputs: {} };
    if (can === undefined) throw configUnknown(urn);
    if (preview && !can.previews) return { id, outputs: newInputs };
    const request = named(new this.sdk.provider.UpdateRequest(), urn);
    request
      .setId(id)
      .setOlds(this.struct(oldOutputs, can))
      .setNews(this.struct(newInputs, can, preview));
    request.setOldInputs(this.struct(oldInputs, can)).setIgnorechangesList([...ignoreChanges]);
    request.setPreview(preview).setTimeout(timeout);
    const client = await this.connected();
    const live = await this.operate("update", urn, preview, async () => {
      const response = await call<UpdateResponse>((done) => client.update(request, done));
      return { id, outputs: fromStruct(response.getProperties(), preview) };
    });
    return can.acceptsSecrets ? live : { ...live, outputs: annotateSecrets(live.outputs, newInputs) };
  }

  async read(urn: string, id: string, inputs?: Properties, outputs?: Properties, timeout = 0): Promise<ReadAnswer> {
    const can = await this.configured;
    if (can === undefined) return { id, inputs: {}, outputs: {} };
    const request = named(new this.sdk.provider.ReadRequest(), urn).setId(id);
    // Older SDKs do not have this.
    (request as { setTimeout?(timeout: number): unknown }).setTimeout?.(timeout);
    if (inputs) request.setInputs(this.struct(inputs, can));
    if (outputs) request.setProperties(this.struct(outputs, can));
    const client = await this.connected();
    const found = await this.operate("read", urn, false, async () => {
      const response = await call<ReadResponse>((done) => client.read(request, done));
      const found = { id: response.getId(), outputs: fromStruct(response.getProperties(), false) };
      return response.hasInputs() ? { ...found, inputs: fromStruct(response.getInputs(), false) } : found;
    });
    if (can.acceptsSecrets) return found;
    return {
      ...found,
      outputs: annotateSecrets(found.outputs, outputs ?? {}),
      ...(found.inputs && { inputs: annotateSecrets(found.inputs, inputs ?? {}) }),
    };
  }

  async delete(urn: string, id: string, inputs: Properties, outputs: Properties, timeout = 0): Promise<void> {
    const can = await this.configured;
    if (can === undefined) throw configUnknown(urn);
    const request = named(new this.sdk.provider.DeleteRequest(), urn);
    request.setId(id).setProperties(this.struct(outputs, can)).setOldInputs(this.struct(inputs, can));
    request.setTimeout(timeout);
    const client = await this.connected();
    await this.operate("delete", urn, false, async () => {
      await call<Empty>((done) => client.delete(request, done));
      return { id, outputs };
    });
  }

  async invoke(token: string, args: Properties, preview: boolean): Promise<InvokeAnswer> {
    const can = await this.configured;
    if (can === undefined) return { result: {}, failures: [] };
    const request = new this.sdk.provider.InvokeRequest().setTok(token).setArgs(this.struct(args, can));
    // Older SDKs do not have this.
    (request as { setPreview?(preview: boolean): unknown }).setPreview?.(preview);
    const client = await this.connected();
    const response = await plainly(call<InvokeResponse>((done) => client.invoke(request, done)));
    const result = fromStruct(response.getReturn(), false);
    const isSecret = !can.acceptsSecrets && Object.values(args).some(containsSecret);
    return { result: isSecret ? mapValues(result, secretOf) : result, failures: failuresOf(response) };
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

  private struct(
    properties: Properties,
    { acceptsSecrets, acceptsResources }: Capabilities,
    keepUnknowns = false,
  ): Struct {
    const kept = { unknowns: keepUnknowns, secrets: acceptsSecrets, resources: acceptsResources };
    return this.sdk.struct.fromJavaScript(forProvider(properties, kept));
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

function failuresOf(response: CheckResponse | InvokeResponse): CheckFailure[] {
  const failures = response.getFailuresList();
  return failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
}

/** Reads the answer to a comparison. */
export function diffAnswer(sdk: PulumiSdk, response: DiffResponse): DiffAnswer {
  const { DIFF_UNKNOWN, DIFF_SOME } = sdk.provider.DiffResponse.DiffChanges;
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = sdk.provider.PropertyDiff.Kind;
  const replacing: readonly number[] = [ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE];
  const changes = response.getChanges();
  const details = response
    .getDetaileddiffMap()
    .getEntryList()
    .map(([path, kind]) => [path, replacing.includes((kind as unknown as [number])[0] ?? 0)] as const);
  return {
    ...(changes !== DIFF_UNKNOWN && { changes: changes === DIFF_SOME }),
    replaceKeys: response.getReplacesList(),
    changedKeys: response.getDiffsList(),
    ...(response.getHasdetaileddiff() && { details: Object.fromEntries(details) }),
    deleteBeforeReplace: response.getDeletebeforereplace(),
  };
}

/** Reads the properties of a response. Rejects unknowns unless they are expected. */
export function fromStruct(struct: Struct | undefined, keepUnknowns: boolean): Properties {
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

function configUnknown(urn: string): Error {
  return new Error(`the configuration of the provider of ${urn} is unknown`);
}
