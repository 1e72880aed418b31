/** Calls a dynamic provider in its host. Converts values for the wire, and restores what the host's responses lack. */
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
import { annotateSecrets } from "../state/values";
import { call } from "./host";
import { reachKillPoint } from "./kill-points";
import type { DiffAnswer, DiffRequest, Live, Provider, ReadAnswer } from "./provider";

const INIT_FAILED = "pulumirpc.ErrorResourceInitFailed";

/** Messages that name a resource. */
interface Named {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

/** The provider of all resources that one host runs. The host does not support secrets, so they are restored by key. */
export class DynamicProvider implements Provider {
  private client: Promise<ResourceProviderClient> | undefined;

  constructor(
    private readonly sdk: PulumiSdk,
    /** Starts the host. */
    private readonly start: () => Promise<ResourceProviderClient>,
  ) {}

  /** Starts the host before it is needed. If that fails, the first caller that needs it gets the error. */
  warmUp(): void {
    this.host().catch(() => undefined);
  }

  /** Tells the host that the run is cancelled, if the host was started. A response is not required. */
  cancel(): void {
    const request = new this.sdk.empty();
    this.client?.then((client) => client.cancel(request, () => undefined)).catch(() => undefined);
  }

  async check(urn: string, olds: Properties, news: Properties, keepUnknowns: boolean) {
    const request = named(new this.sdk.provider.CheckRequest(), urn);
    request.setOlds(this.struct(olds, keepUnknowns)).setNews(this.struct(news, keepUnknowns));
    const client = await this.host();
    const response = await plainly(call<CheckResponse>((done) => client.check(request, done)));
    const failures = response.getFailuresList();
    return {
      inputs: annotateSecrets(fromStruct(response.getInputs()), news),
      failures: failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
    };
  }

  async diff(
    { urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest,
    keepUnknowns: boolean,
  ): Promise<DiffAnswer> {
    const request = named(new this.sdk.provider.DiffRequest(), urn);
    request.setId(id).setOlds(this.struct(oldOutputs, keepUnknowns)).setNews(this.struct(newInputs, keepUnknowns));
    request.setOldInputs(this.struct(oldInputs, keepUnknowns)).setIgnorechangesList([...ignoreChanges]);
    const client = await this.host();
    const response = await plainly(call<DiffResponse>((done) => client.diff(request, done)));
    const { DIFF_UNKNOWN, DIFF_SOME } = this.sdk.provider.DiffResponse.DiffChanges;
    const changes = response.getChanges();
    return {
      ...(changes !== DIFF_UNKNOWN && { changes: changes === DIFF_SOME }),
      replaceKeys: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
    };
  }

  async create(urn: string, inputs: Properties, preview: boolean): Promise<Live> {
    if (preview) return { id: "", outputs: inputs };
    const request = named(new this.sdk.provider.CreateRequest(), urn);
    request.setProperties(this.struct(inputs));
    const client = await this.host();
    const live = await this.operate("create", urn, async () => {
      const response = await call<CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), outputs: fromStruct(response.getProperties()) };
    });
    if (live.id === "") throw new Error("the provider returned no id for the created resource");
    return { ...live, outputs: annotateSecrets(live.outputs, inputs) };
  }

  async update(
    { urn, id, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest,
    preview: boolean,
  ): Promise<Live> {
    if (preview) return { id, outputs: newInputs };
    const request = named(new this.sdk.provider.UpdateRequest(), urn);
    request.setId(id).setOlds(this.struct(oldOutputs)).setNews(this.struct(newInputs));
    request.setOldInputs(this.struct(oldInputs)).setIgnorechangesList([...ignoreChanges]);
    const client = await this.host();
    const live = await this.operate("update", urn, async () => {
      const response = await call<UpdateResponse>((done) => client.update(request, done));
      return { id, outputs: fromStruct(response.getProperties()) };
    });
    return { ...live, outputs: annotateSecrets(live.outputs, newInputs) };
  }

  async read(urn: string, id: string, inputs: Properties, outputs: Properties): Promise<ReadAnswer> {
    const request = named(new this.sdk.provider.ReadRequest(), urn);
    request.setId(id).setInputs(this.struct(inputs)).setProperties(this.struct(outputs));
    const client = await this.host();
    const found = await this.operate("read", urn, async () => {
      const response = await call<ReadResponse>((done) => client.read(request, done));
      const found = { id: response.getId(), outputs: fromStruct(response.getProperties()) };
      return response.hasInputs() ? { ...found, inputs: fromStruct(response.getInputs()) } : found;
    });
    return {
      ...found,
      outputs: annotateSecrets(found.outputs, outputs),
      ...(found.inputs && { inputs: annotateSecrets(found.inputs, inputs) }),
    };
  }

  async delete(urn: string, id: string, inputs: Properties, outputs: Properties): Promise<void> {
    const request = named(new this.sdk.provider.DeleteRequest(), urn);
    request.setId(id).setProperties(this.struct(outputs)).setOldInputs(this.struct(inputs));
    const client = await this.host();
    await this.operate("delete", urn, async () => {
      await call<Empty>((done) => client.delete(request, done));
      return { id, outputs };
    });
  }

  /** Makes a call that may take effect. A call that took effect but did not finish returns the same kind of result. */
  private async operate(method: string, urn: string, start: () => Promise<ReadAnswer>): Promise<ReadAnswer> {
    reachKillPoint("before-call", urn, method);
    try {
      return await start();
    } catch (error) {
      const live = this.initFailed(error as ServiceError);
      if (live === undefined) throw plain(error as ServiceError);
      return live;
    } finally {
      reachKillPoint("after-call", urn, method);
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
        outputs: fromStruct(failure.getProperties()),
        initErrors: failure.getReasonsList(),
      };
    }
    return undefined;
  }

  private host(): Promise<ResourceProviderClient> {
    this.client ??= this.start();
    return this.client;
  }

  private struct(properties: Properties, keepUnknowns = false): Struct {
    return this.sdk.struct.fromJavaScript(forProvider(properties, keepUnknowns));
  }
}

function named<Message extends Named>(message: Message, urn: string): Message {
  message.setUrn(urn);
  message.setName(nameOf(urn));
  message.setType(typeOf(urn));
  return message;
}

function fromStruct(struct: Struct | undefined): Properties {
  return receiveMap((struct?.toJavaScript() ?? {}) as Properties);
}

async function plainly<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    throw plain(error as ServiceError);
  });
}

/** Reduces an error to the provider's own message. */
function plain(error: ServiceError): Error {
  return new Error(error.details || error.message, { cause: error });
}
