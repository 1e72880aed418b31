/** A provider plugin: the executable `pulumi-resource-NAME` of a package, as keyplane's own tests need it. */
import type { CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { PulumiSdk } from "../program/pulumi-sdk";
import { forProvider } from "../program/wire";
import type { Properties } from "../state/property";
import { nameOf, packageOf, typeOf } from "../state/urn";
import { mapWithoutSecrets } from "../state/values";
import { checkAnswer, GrpcProvider, named, plainly } from "./grpc-provider";
import { call, PluginProcess } from "./plugin-process";
import type { CheckAnswer, LoadedProvider, Provider } from "./provider";

/** How long a plugin may take to respond to `Cancel`, and again to end after it was interrupted. */
const CLOSE_MS = 5000;

/** Options of a plugin. */
export interface PluginOptions {
  readonly sdk: PulumiSdk;
  /** The path of the executable. */
  readonly file: string;
  /** The program's folder, which the plugin works in. */
  readonly directory: string;
  /** The engine's address, which is the plugin's only argument. */
  readonly engineAddress: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with the process id when the process starts. */
  readonly started: (pid: number) => void;
}

/** A started plugin. */
export class Plugin implements LoadedProvider {
  private readonly sdk: PulumiSdk;
  private readonly process: PluginProcess;

  /** Starts a plugin. What it prints is not shown. */
  constructor(options: PluginOptions) {
    this.sdk = options.sdk;
    const label = `the plugin ${options.file}`;
    this.process = PluginProcess.spawn({ ...options, label, args: [options.engineAddress], printed: () => undefined });
  }

  async checkConfig(urn: string, olds: Properties, news: Properties): Promise<CheckAnswer> {
    const client = await this.process.client;
    const request = named(new this.sdk.provider.CheckRequest(), urn);
    request.setOlds(this.struct(olds)).setNews(this.struct(news));
    const response = await plainly(call<CheckResponse>((done) => client.checkConfig(request, done)));
    return checkAnswer(response, news, false);
  }

  configure(urn: string, id: string, inputs: Properties): Provider {
    const configured = this.sendConfiguration(urn, id, inputs);
    // The first call that needs the configuration gets the error.
    configured.catch(() => undefined);
    return new GrpcProvider(this.sdk, () => configured.then(() => this.process.client), true);
  }

  /** Tells the plugin that the run is cancelled, or that it ends. */
  async cancel(): Promise<void> {
    const client = await this.process.client;
    const options = { deadline: Date.now() + CLOSE_MS };
    await call((done) => client.cancel(new this.sdk.empty(), new this.sdk.grpc.Metadata(), options, done));
  }

  /** Ends the plugin. It may finish what it does. */
  async close(): Promise<void> {
    await this.cancel().catch(() => undefined);
    await this.process.end(CLOSE_MS);
  }

  /** Ends the plugin's process at once. */
  kill(): void {
    this.process.kill();
  }

  private async sendConfiguration(urn: string, id: string, inputs: Properties): Promise<void> {
    const client = await this.process.client;
    const request = new this.sdk.provider.ConfigureRequest().setArgs(this.struct(inputs));
    const variables = request.getVariablesMap();
    for (const [key, value] of Object.entries(mapWithoutSecrets(inputs))) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      variables.set(`${packageOf(typeOf(urn))}:config:${key}`, text);
    }
    request.setUrn(urn).setName(nameOf(urn)).setType(typeOf(urn)).setId(id);
    await plainly(call<unknown>((done) => client.configure(request, done)));
  }

  private struct(properties: Properties) {
    return this.sdk.struct.fromJavaScript(forProvider(properties, false));
  }
}
