import type {
  ServerUnaryCall,
  ServerWritableStream,
  ServiceError,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { status } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";

import plugin = require("@pulumi/pulumi/proto/plugin_pb");
import provider = require("@pulumi/pulumi/proto/provider_pb");

import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { KeyplaneError, messageOf } from "../errors";
import { secretInputs } from "../outputs";
import { resourceTypes } from "../resources/all";
import { reasonsOf } from "../session/run-call";
import type { Session } from "../session/session";
import { fromPulumi } from "../session/values";
import { SECRET_SETTINGS } from "../settings/setting-names";
import { toMessage } from "../text";
import { VERSION } from "../version";
import { changedNames, checkConfig, ProviderConfig, readInputs } from "./config";
import { invoke, listExisting } from "./functions";
import { type EngineAnswer, type PluginTarget, Resources } from "./resources";
import { fromStruct, notReady, secretsIn, toResource, toStruct } from "./wire";

const CONFIGURED =
  "the plugin is already configured, and the settings of a running plugin cannot change. Start another plugin";

/**
 * Pulumi's protocol for resource providers: reads the messages, and writes the answers.
 * @param schema - The package's schema, without its version.
 */
export function service(session: Session, schema: object): UntypedServiceImplementation {
  let config: ProviderConfig | undefined;
  const resources = new Resources(session, () => config ?? new ProviderConfig({}));

  const handlers = {
    handshake: async () => new provider.ProviderHandshakeResponse().setAcceptSecrets(true),
    getPluginInfo: async () => new plugin.PluginInfo().setVersion(VERSION),
    getSchema: async () => new provider.GetSchemaResponse().setSchema(JSON.stringify(schema)),

    async checkConfig(request: provider.CheckRequest) {
      const news = readInputs(fromStruct(request.getNews()), projectOf(request.getUrn()));
      return checked(toStruct(news, SECRET_SETTINGS), reasonsOf(checkConfig(news)));
    },

    // No setting replaces the provider, because that would replace every key. Another account is refused when a resource
    // is about to change something there.
    async diffConfig(request: provider.DiffRequest) {
      const changed = changedNames(
        fromStruct(request.getOldInputs() ?? request.getOlds()),
        fromStruct(request.getNews()),
      );
      return new provider.DiffResponse().setChanges(changesOf(changed.length > 0)).setDiffsList(changed);
    },

    // The engine does it once. Every later caller is somebody else, whose address must not get the credential.
    async configure(request: provider.ConfigureRequest) {
      if (config !== undefined) throw new KeyplaneError("KP-CONFIG", CONFIGURED);
      config = new ProviderConfig(fromStruct(request.getArgs()));
      session.configure(config.read);
      return new provider.ConfigureResponse().setSupportspreview(true).setAcceptsecrets(true);
    },

    async check(request: provider.CheckRequest) {
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      const __secret = secretInputs(secretsIn(request.getNews()));
      const { inputs, reasons } = await resources.check(targetOf(request), olds, news, request.getRandomseed_asU8());
      return checked(toResource({ ...inputs, ...(__secret.length > 0 && { __secret }) }), reasons);
    },

    async diff(request: provider.DiffRequest) {
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      const answer = await resources.diff(targetOf(request), request.getId(), olds, news);
      return new provider.DiffResponse()
        .setChanges(changesOf(answer.changes))
        .setReplacesList([...answer.replaces])
        .setDiffsList([...answer.fields]);
    },

    async create(request: provider.CreateRequest) {
      const inputs = fromStruct(request.getProperties());
      const made = await resources.create(targetOf(request), inputs);
      return failureOf(made) ?? new provider.CreateResponse().setId(made.id).setProperties(toResource(made.outputs));
    },

    async read(request: provider.ReadRequest) {
      const [inputs, state] = [fromStruct(request.getInputs()), fromStruct(request.getProperties())];
      const found = await resources.read(targetOf(request), request.getId(), inputs, state);
      // An empty id reports that the resource is gone.
      if (found === undefined) return new provider.ReadResponse();
      const response = new provider.ReadResponse().setId(found.id);
      return response.setInputs(toResource(found.inputs)).setProperties(toResource(found.outputs));
    },

    async update(request: provider.UpdateRequest) {
      const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
      const answer = await resources.update(targetOf(request), request.getId(), olds, news);
      return failureOf(answer) ?? new provider.UpdateResponse().setProperties(toResource(answer.outputs));
    },

    async delete(request: provider.DeleteRequest) {
      await resources.delete(targetOf(request), request.getId(), fromStruct(request.getProperties()));
      return new Empty();
    },

    async invoke(request: provider.InvokeRequest) {
      const args = fromStruct(request.getArgs());
      const result = await invoke(session, { token: request.getTok(), args, isPreview: request.getPreview() });
      return new provider.InvokeResponse().setReturn(toStruct(result));
    },

    // The engine also calls it when everything is done.
    async cancel() {
      session.cancel();
      return new Empty();
    },
  };
  const known: Readonly<Record<string, Handler>> = handlers;
  const calls = Object.keys(ResourceProviderService).map((name) => [name, unary(known[name])]);
  return { ...Object.fromEntries(calls), list: (call: ListCall) => void answerList(session, call) };
}

type Handler = (request: never) => Promise<unknown>;

/** Answers one call. What a handler throws becomes the error of the call. */
function unary(handler: Handler | undefined) {
  return (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>): void => {
    if (handler === undefined) {
      answer({ code: status.UNIMPLEMENTED, details: "not supported by keyplane" });
      return;
    }
    handler(call.request as never).then(
      (response) => (response instanceof Failure ? answer(response.error) : answer(null, response)),
      (error: unknown) => answer(toServiceError(error)),
    );
  };
}

type ListCall = ServerWritableStream<provider.ListRequest, provider.ListResponse>;

/** Answers the call that lists what exists, which is the only one with several answers. */
async function answerList(session: Session, call: ListCall): Promise<void> {
  const { request } = call;
  try {
    const found = await listExisting(session, request.getToken(), fromPulumi(fromStruct(request.getQuery())));
    // The token is where the page begins.
    const start = Number(request.getContinuationToken()) || 0;
    const limit = request.getLimit();
    const most = Math.min(...[request.getPageSize(), limit].map((count) => (count > 0 ? count : found.length)));
    const end = Math.min(start + most, found.length);
    for (const { id, name } of found.slice(start, end)) {
      const result = new provider.ListResponse.Result().setId(id).setName(name);
      call.write(new provider.ListResponse().setResult(result));
    }
    const isOver = end === found.length || (limit > 0 && end - start >= limit);
    if (!isOver) {
      const continuation = new provider.ListResponse.Continuation().setContinuationToken(String(end));
      call.write(new provider.ListResponse().setContinuation(continuation));
    }
    call.end();
  } catch (error) {
    call.emit("error", toServiceError(error));
  }
}

function toServiceError(error: unknown): Partial<ServiceError> {
  return { code: status.UNKNOWN, details: toMessage(messageOf(error)) };
}

/** An answer after which the engine records a resource, and fails the run. */
class Failure {
  constructor(readonly error: Partial<ServiceError>) {}
}

/** The answer for a resource that has a problem; `undefined` for one that has none. */
function failureOf({ id, outputs: values, problem }: EngineAnswer): Failure | undefined {
  return problem === undefined ? undefined : new Failure(notReady(toMessage(problem), id, toResource(values)));
}

function targetOf(request: {
  getUrn(): string;
  getType(): string;
  getTimeout?(): number;
  getPreview?(): boolean;
}): PluginTarget {
  const urn = request.getUrn();
  const seconds = request.getTimeout?.() ?? 0;
  const name = (request.getType() || (urn.split("::")[2] ?? "")).split(":").at(-1) ?? "";
  const call = { timeoutMs: seconds > 0 ? seconds * 1_000 : undefined, isPreview: request.getPreview?.() };
  if (Object.hasOwn(resourceTypes, name)) {
    return { urn, type: resourceTypes[name as keyof typeof resourceTypes], ...call };
  }
  throw new Error(`keyplane has no resource type ${name}; its types are ${Object.keys(resourceTypes).join(", ")}`);
}

const projectOf = (urn: string): string | undefined => urn.split("::")[1];

/** A failure that names a property would show its value, which can be a secret. */
function checked(inputs: Struct, reasons: readonly string[]): provider.CheckResponse {
  const failures = reasons.map((reason) => new provider.CheckFailure().setProperty("").setReason(reason));
  return new provider.CheckResponse().setInputs(inputs).setFailuresList(failures);
}

const changesOf = (changes: boolean) => provider.DiffResponse.DiffChanges[changes ? "DIFF_SOME" : "DIFF_NONE"];
