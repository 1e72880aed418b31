/** A provider plugin: the executable `pulumi-resource-NAME` of a package. */
import type { ServiceError } from "@grpc/grpc-js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type {
  CheckResponse,
  ConfigureResponse,
  DiffResponse,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { PulumiSdk } from "../program/pulumi-sdk";
import { forProvider } from "../program/wire";
import type { Json, Properties } from "../state/property";
import { nameOf, packageOf, typeOf } from "../state/urn";
import { containsUnknown, withoutSecrets } from "../state/values";
import type { PluginFile } from "./find-plugin";
import { type Capabilities, checkAnswer, diffAnswer, GrpcProvider, named, plainly } from "./grpc-provider";
import { call, PluginProcess, type Printed } from "./plugin-process";
import type { CheckAnswer, DiffAnswer, DiffRequest, LoadedProvider, PackageProvider } from "./provider";

/** How long a plugin may take to respond to `Cancel`, and again to end after it was interrupted. */
const CLOSE_MS = 5000;

/** Options of a plugin. */
export interface PluginOptions {
  readonly sdk: PulumiSdk;
  readonly file: PluginFile;
  /** The program's folder, which the plugin works in. */
  readonly directory: string;
  /** The engine's address, which is the plugin's only argument. */
  readonly engineAddress: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with the process id when the process starts. */
  readonly started: (pid: number) => void;
  /** Called with each line that the plugin prints. */
  readonly printed: Printed;
  /** Called with the plugin's own version, which may be empty. */
  readonly introduced: (version: string) => void;
  /** Called if the plugin ended before the engine ended it, with everything that it printed. */
  readonly lost: (output: string) => void;
}

/** A started plugin. Each provider resource has its own. */
export class Plugin implements LoadedProvider {
  private readonly sdk: PulumiSdk;
  private readonly process: PluginProcess;
  private readonly client: Promise<ResourceProviderClient>;
  private handshaken: Capabilities | undefined;
  private closed: Promise<void> | undefined;
  private readonly output: string[] = [];
  /** Whether the plugin knows that it may end. */
  private mayEnd = false;

  /** Starts a plugin. */
  constructor(private readonly options: PluginOptions) {
    this.sdk = options.sdk;
    const label = `the plugin ${options.file.name} (${options.file.path})`;
    this.process = PluginProcess.spawn({
      ...options,
      label,
      file: options.file.path,
      args: [options.engineAddress],
      printed: (line, stream) => {
        this.output.push(line);
        options.printed(line, stream);
      },
    });
    this.client = this.greeted(options, label);
    // The first call gets the error.
    this.client.catch(() => undefined);
  }

  async checkConfig(urn: string, olds: Properties, news: Properties): Promise<CheckAnswer> {
    const client = await this.client;
    const request = named(new this.sdk.provider.CheckRequest(), urn);
    request.setOlds(this.plainStruct(olds)).setNews(this.plainStruct(news));
    const response = await ifImplemented(call<CheckResponse>((done) => client.checkConfig(request, done)));
    return response ? checkAnswer(response, news, true) : { inputs: news, failures: [] };
  }

  async diffConfig({ urn, oldInputs, oldOutputs, newInputs, ignoreChanges }: DiffRequest): Promise<DiffAnswer> {
    const client = await this.client;
    const request = named(new this.sdk.provider.DiffRequest(), urn);
    request.setOldInputs(this.plainStruct(oldInputs)).setOlds(this.plainStruct(oldOutputs));
    request.setNews(this.plainStruct(newInputs)).setIgnorechangesList([...ignoreChanges]);
    const response = await ifImplemented(call<DiffResponse>((done) => client.diffConfig(request, done)));
    return response ? diffAnswer(this.sdk, response) : { replaceKeys: [], deleteBeforeReplace: false };
  }

  configure(urn: string, id: string, inputs: Properties): PackageProvider {
    const isUnknown = Object.entries(inputs).some(([key, value]) => key !== "version" && containsUnknown(value));
    const configured = isUnknown ? Promise.resolve(undefined) : this.sendConfiguration(urn, id, inputs);
    // The first call that needs the configuration gets the error.
    configured.catch(() => undefined);
    return new GrpcProvider(this.sdk, () => this.client, configured);
  }

  /** Tells the plugin that the run is cancelled, or that it ends. */
  async cancel(): Promise<void> {
    const request = new this.sdk.empty();
    const client = await this.client;
    const options = { deadline: Date.now() + CLOSE_MS };
    await ifImplemented(call((done) => client.cancel(request, new this.sdk.grpc.Metadata(), options, done)));
    this.mayEnd = true;
  }

  close(): Promise<void> {
    this.closed ??= this.cancel()
      .catch(() => {
        if (!this.mayEnd) this.options.lost(this.output.join("\n"));
      })
      .then(() => this.process.end(CLOSE_MS));
    return this.closed;
  }

  /** Ends the plugin's process at once. */
  kill(): void {
    this.process.kill();
  }

  private async greeted(options: PluginOptions, label: string): Promise<ResourceProviderClient> {
    const client = await this.process.client;
    const response = await this.handshake(client, options).catch((error: Error) => {
      throw new Error(`${label} did not start: ${error.message}`, { cause: error });
    });
    if (response) {
      const [acceptsSecrets, acceptsResources] = [response.getAcceptSecrets(), response.getAcceptResources()];
      this.handshaken = { acceptsSecrets, acceptsResources, previews: true };
    }
    const info = await plainly(call<PluginInfo>((done) => client.getPluginInfo(new this.sdk.empty(), done)));
    options.introduced(info.getVersion());
    return client;
  }

  private async handshake(client: ResourceProviderClient, { file, engineAddress }: PluginOptions) {
    // Older SDKs do not have this call, or not all of its fields.
    const { ProviderHandshakeRequest: Request } = this.sdk.provider as Partial<typeof this.sdk.provider>;
    if (Request === undefined) return undefined;
    const request = new Request().setEngineAddress(engineAddress);
    request.setRootDirectory(file.directory).setProgramDirectory(file.directory);
    request.setConfigureWithUrn?.(true);
    request.setInvokeWithPreview?.(true);
    return ifImplemented(call<ProviderHandshakeResponse>((done) => client.handshake(request, done)));
  }

  private async sendConfiguration(urn: string, id: string, inputs: Properties): Promise<Capabilities> {
    const client = await this.client;
    const request = new this.sdk.provider.ConfigureRequest();
    request.setArgs(
      this.sdk.struct.fromJavaScript(forProvider(inputs, { unknowns: true, secrets: true, resources: true })),
    );
    const variables = request.getVariablesMap();
    for (const [key, value] of Object.entries(inputs)) {
      if (key !== "version") variables.set(`${packageOf(typeOf(urn))}:config:${key}`, textOf(value));
    }
    request.setAcceptsecrets(true).setAcceptresources(true);
    // Older SDKs do not have these.
    request.setSendsOldInputs?.(true);
    request.setSendsOldInputsToDelete?.(true);
    request.setUrn?.(urn)?.setName(nameOf(urn)).setType(typeOf(urn)).setId(id);
    const response = await plainly(call<ConfigureResponse>((done) => client.configure(request, done)));
    return (
      this.handshaken ?? {
        acceptsSecrets: response.getAcceptsecrets(),
        acceptsResources: response.getAcceptresources(),
        previews: response.getSupportspreview(),
      }
    );
  }

  private plainStruct(properties: Properties): Struct {
    const kept = { unknowns: true, secrets: false, resources: false };
    return this.sdk.struct.fromJavaScript(forProvider(properties, kept));
  }
}

function textOf(value: Json): string {
  const clear = withoutSecrets(value);
  return typeof clear === "string" ? clear : JSON.stringify(clear);
}

const UNIMPLEMENTED = 12;

/** Returns nothing if the plugin does not have the called method. */
async function ifImplemented<T>(answer: Promise<T>): Promise<T | undefined> {
  return plainly(
    answer.catch((error: ServiceError) => {
      if (error.code === UNIMPLEMENTED) return undefined;
      throw error;
    }),
  );
}
