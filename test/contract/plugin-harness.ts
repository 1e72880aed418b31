import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  ListResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { SECRET, SIGNATURE } from "../../provider/members";
import { unmarked } from "../../provider/session/values";
import type { ControlPlane } from "../../testing";
import { PulumiSdk } from "../../testing/engine/program/pulumi-sdk";
import { named } from "../../testing/engine/provider/grpc-provider";
import { call, PluginProcess } from "../../testing/engine/provider/plugin-process";
import { pluginFolder } from "../plugin-folder";
import { PulumiCli, type SavedResource } from "./pulumi-cli";
import {
  differenceOf,
  failuresOf,
  fromStruct,
  type Logged,
  orNotReady,
  type Reached,
  RecordingEngine,
  type Values,
} from "./recording-engine";

export { UNKNOWN, type Values } from "./recording-engine";

/** A secret value, as an engine sends it to a provider. */
export const secret = (value: unknown) => ({ [SIGNATURE]: SECRET, value });

/** A resource in a state. */
export interface State {
  readonly kind: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
  readonly notReady?: string[];
}

/** A resource in a saved state, with fields of the engine, such as `delete` and `modified`. */
export type SavedState = State & { readonly engine?: Values };

/** How to start the plugin. */
export interface PluginOptions {
  /** Inputs of the provider resource in addition to the account. */
  readonly config?: Values;
  /** The inputs of the provider resource in the state. */
  readonly provider?: Values;
  readonly env?: NodeJS.ProcessEnv;
  /** The stack. @default "dev" */
  readonly stack?: string;
  /** @default true */
  readonly configured?: boolean;
  /** Whether a person starts the plugin, without the address of an engine. */
  readonly isByHand?: boolean;
  /** The name of the provider resource. @default "default" */
  readonly providerName?: string;
  /** Whether no program uses the provider resource of the state, as when its last resource is removed. */
  readonly removed?: boolean;
  /** A plugin of the same run: both have the same engine. */
  readonly beside?: PluginUnderTest;
}

const running: PluginUnderTest[] = [];
let pulumi: PulumiCli | undefined;

/** The CLI that starts the plugins of a test. */
export function cli(): PulumiCli {
  pulumi ??= new PulumiCli();
  return pulumi;
}

/** Ends all plugins of a test. */
export async function stopPlugins(): Promise<void> {
  for (const plugin of running.splice(0)) plugin.stop();
  pulumi?.remove();
  pulumi = undefined;
}

/** The executable plugin, which a test drives over gRPC like an engine, and an engine that records its messages. */
export class PluginUnderTest {
  readonly printed: string[] = [];
  readonly sdk = sdk;
  pid = 0;
  /** The inputs of the provider resource, as an engine saves them. */
  provider: Values = {};
  /** What the engine passes to each check. With a plan, it is the one of the preview. @default random bytes */
  seed: Uint8Array | undefined;

  private constructor(
    private readonly engine: RecordingEngine,
    private readonly stack: string,
    private readonly providerName: string,
  ) {}

  private process: PluginProcess | undefined;
  private connected: ResourceProviderClient | undefined;

  /** Starts the plugin for the account of a control plane, like a new run of a command. */
  static async start(plane: Account, options: PluginOptions = {}): Promise<PluginUnderTest> {
    const { config, env, stack = "dev", configured = true, providerName = "default" } = options;
    const { beside } = options;
    const test = new PluginUnderTest(beside?.engine ?? (await RecordingEngine.start(sdk)), stack, providerName);
    running.push(test);
    const { file } = cli();
    test.process = PluginProcess.spawn({
      sdk,
      label: "the plugin",
      file: join(pluginFolder(), "pulumi-resource-keyplane"),
      args: options.isByHand ? [] : [test.engine.address],
      directory: resolve("."),
      env: { PATH: process.env.PATH, KEYPLANE_PULUMI: file, ...env },
      started: (pid) => {
        test.pid = pid;
      },
      printed: (line) => test.printed.push(line),
    });
    test.connected = await test.process.client;
    if (!configured) return test;
    if (options.removed) {
      await test.configure(options.provider ?? {});
      return test;
    }
    const news = { baseUrl: plane.url, apiKey: plane.apiKey, ...config };
    const { inputs, failures } = await test.checkConfig(options.provider ?? {}, news);
    if (failures.length > 0) throw new Error(failures.join("\n"));
    await test.configure(inputs);
    return test;
  }

  get client(): ResourceProviderClient {
    if (this.connected === undefined) throw new Error("the plugin is not running");
    return this.connected;
  }

  /** The port of the plugin's server. */
  get port(): number {
    return Number(this.client.getChannel().getTarget().split(":").at(-1));
  }

  get logged(): readonly Logged[] {
    return this.engine.logged;
  }

  /** The messages that stay in the diagnostics. */
  get messages(): string[] {
    return this.logged.filter(({ ephemeral }) => !ephemeral).map(({ message }) => message);
  }

  urn(kind: string, name = "ci"): string {
    return `urn:pulumi:${this.stack}::proj::keyplane:index:${kind}::${name}`;
  }

  /** Answers as an engine gets it, with marks of secrets in `raw`. */
  async checkConfig(olds: Values, news: Values) {
    const request = named(new sdk.provider.CheckRequest(), this.providerUrn());
    request.setOlds(structOf(olds)).setNews(structOf(news));
    const response = await call<CheckResponse>((done) => this.client.checkConfig(request, done));
    const raw = fromStruct(response.getInputs());
    this.provider = unmarked(raw) as Values;
    return { raw, inputs: this.provider, failures: failuresOf(response) };
  }

  async diffConfig(olds: Values, news: Values) {
    const request = named(new sdk.provider.DiffRequest(), this.providerUrn());
    request.setOlds(structOf({})).setOldInputs(structOf(olds)).setNews(structOf(news));
    const response = await call<DiffResponse>((done) => this.client.diffConfig(request, done));
    return { ...differenceOf(sdk, response), diffs: response.getDiffsList() };
  }

  /** Configures the plugin with inputs of the provider resource. They arrive with marks of secrets. */
  async configure(inputs: Values, urn = this.providerUrn()): Promise<void> {
    const { apiKey, ...others } = inputs;
    const request = new sdk.provider.ConfigureRequest().setUrn(urn).setId("provider-id");
    request.setArgs(structOf(apiKey === undefined ? others : { ...others, apiKey: secret(apiKey) }));
    await call((done) => this.client.configure(request, done));
  }

  async check(kind: string, olds: Values, news: Values, name?: string) {
    const request = named(new sdk.provider.CheckRequest(), this.urn(kind, name));
    request
      .setOlds(structOf(olds))
      .setNews(structOf(news))
      .setRandomseed(this.seed ?? randomBytes(16));
    const response = await call<CheckResponse>((done) => this.client.check(request, done));
    return { inputs: unmarked(fromStruct(response.getInputs())) as Values, failures: failuresOf(response) };
  }

  async diff({ kind, name, id, outputs, inputs }: State, news: Values) {
    const request = named(new sdk.provider.DiffRequest(), this.urn(kind, name)).setId(id);
    request.setOlds(structOf(outputs)).setOldInputs(structOf(inputs)).setNews(structOf(news));
    return differenceOf(sdk, await call<DiffResponse>((done) => this.client.diff(request, done)));
  }

  /** Creates a resource with checked inputs. */
  async create(kind: string, inputs: Values, name = "ci"): Promise<State> {
    const made = await orNotReady(
      sdk,
      async () => {
        const response = await this.sendCreate(kind, inputs, name, false);
        return { id: response.getId(), outputs: clear(response.getProperties()) };
      },
      clear,
    );
    return { kind, name, inputs, ...made };
  }

  /** The outputs that a preview shows, with marks of secrets. */
  async previewCreate(kind: string, inputs: Values, name = "ci"): Promise<Values> {
    return fromStruct((await this.sendCreate(kind, inputs, name, true)).getProperties());
  }

  async update(state: State, inputs: Values): Promise<State> {
    const made: Reached = await orNotReady(
      sdk,
      async () => {
        const response = await this.sendUpdate(state, inputs, false);
        return { id: state.id, outputs: clear(response.getProperties()) };
      },
      clear,
    );
    const { kind, name } = state;
    return { kind, name, inputs, ...made };
  }

  async previewUpdate(state: State, inputs: Values): Promise<Values> {
    return fromStruct((await this.sendUpdate(state, inputs, true)).getProperties());
  }

  /** Reads a resource; `undefined` if it is gone. */
  async read({ kind, name, id, inputs, outputs }: State): Promise<State | undefined> {
    const request = named(new sdk.provider.ReadRequest(), this.urn(kind, name)).setId(id);
    request.setInputs(structOf(inputs)).setProperties(structOf(outputs));
    const response = await call<ReadResponse>((done) => this.client.read(request, done));
    if (response.getId() === "") return undefined;
    const read = {
      inputs: unmarked(fromStruct(response.getInputs())) as Values,
      outputs: clear(response.getProperties()),
    };
    return { kind, name, id: response.getId(), ...read };
  }

  /** Imports what exists on the service. */
  async import(kind: string, id: string, name = "ci"): Promise<State> {
    const found = await this.read({ kind, name, id, inputs: {}, outputs: {} });
    if (found === undefined) throw new Error(`${id} does not exist`);
    return found;
  }

  async delete({ kind, name, id, inputs, outputs }: State): Promise<void> {
    const request = named(new sdk.provider.DeleteRequest(), this.urn(kind, name)).setId(id);
    request.setProperties(structOf(outputs)).setOldInputs(structOf(inputs));
    await call((done) => this.client.delete(request, done));
  }

  async invoke(token: string, args: Values): Promise<Values> {
    const request = new sdk.provider.InvokeRequest().setTok(token).setArgs(structOf(args));
    const response = await call<InvokeResponse>((done) => this.client.invoke(request, done));
    return fromStruct(response.getReturn());
  }

  /** Lists what exists on the service, one page: `ID NAME`, and `more TOKEN` if there is another page. */
  async list(kind: string, query: Values = {}, page: { size?: number; limit?: number; after?: string } = {}) {
    const request = new sdk.provider.ListRequest().setToken(`keyplane:index:${kind}`).setQuery(structOf(query));
    request
      .setPageSize(page.size ?? 0)
      .setLimit(page.limit ?? 0)
      .setContinuationToken(page.after ?? "");
    const found: string[] = [];
    for await (const answer of this.client.list(request) as AsyncIterable<ListResponse>) {
      const [result, next] = [answer.getResult(), answer.getContinuation()];
      if (result !== undefined) found.push(`${result.getId()} ${result.getName()}`);
      if (next !== undefined) found.push(`more ${next.getContinuationToken()}`);
    }
    return found;
  }

  async cancel(): Promise<void> {
    await call((done) => this.client.cancel(new sdk.empty(), done));
  }

  /** Checks inputs as an `up` does, and throws what is wrong with them. */
  async checked(kind: string, news: Values, before: Values = {}, name?: string): Promise<Values> {
    const { inputs, failures } = await this.check(kind, before, news, name);
    if (failures.length > 0) throw new Error(failures.join("\n"));
    return inputs;
  }

  /** What an `up` calls for a new resource. */
  async add(kind: string, news: Values = {}, name = "ci"): Promise<State> {
    return this.create(kind, await this.checked(kind, news, {}, name), name);
  }

  /**
   * What an `up` calls for a resource in the state, up to the deletion of a replaced one, which comes last in a run.
   * @param news - The program's inputs. By default, the program has not changed.
   */
  async up(before: State, news: Values = before.inputs): Promise<Step> {
    const { kind, name } = before;
    const { __suffix, ...program } = news;
    const inputs = await this.checked(kind, program, before.inputs, name);
    const { changes, replaces } = await this.diff(before, inputs);
    if (!changes) return { step: "same", state: { ...before, inputs }, replaces };
    if (replaces.length === 0) return { step: "update", state: await this.update(before, inputs), replaces };
    return { step: "replace", state: await this.replace(before, program), replaces };
  }

  /** The second half of a replacement: a check without the state, and the creation. */
  async replace({ kind, name }: State, program: Values): Promise<State> {
    return this.create(kind, await this.checked(kind, program, {}, name), name);
  }

  /** Saves the stack's state with the provider and these resources, and with creations that were not finished. */
  save(resources: readonly SavedState[], creating: readonly Values[] = [], kind = "ApiKey"): void {
    const provider = { urn: this.providerUrn(), type: "pulumi:providers:keyplane", id: "provider-id", outputs: {} };
    const saved = ({ kind, name, id, inputs, outputs, engine = {} }: SavedState): SavedResource => {
      return { urn: this.urn(kind, name), type: `keyplane:index:${kind}`, id, inputs, outputs, engine };
    };
    const pending = creating.map((inputs) => saved({ kind, name: "ci", id: "", inputs, outputs: {} }));
    cli().save([{ ...provider, inputs: this.provider }, ...resources.map(saved)], pending);
  }

  /** Ends the engine like a kill: all its connections close. */
  killEngine(): void {
    this.engine.kill();
  }

  stop(): void {
    this.process?.kill();
    this.engine.kill();
  }

  private providerUrn(): string {
    return `urn:pulumi:${this.stack}::proj::pulumi:providers:keyplane::${this.providerName}`;
  }

  private sendCreate(kind: string, inputs: Values, name: string, preview: boolean) {
    const request = named(new sdk.provider.CreateRequest(), this.urn(kind, name));
    request.setProperties(structOf(inputs)).setPreview(preview);
    return call<CreateResponse>((done) => this.client.create(request, done));
  }

  private sendUpdate({ kind, name, id, outputs, inputs }: State, news: Values, preview: boolean) {
    const request = named(new sdk.provider.UpdateRequest(), this.urn(kind, name)).setId(id);
    request.setOlds(structOf(outputs)).setOldInputs(structOf(inputs)).setNews(structOf(news)).setPreview(preview);
    return call<UpdateResponse>((done) => this.client.update(request, done));
  }
}

/** What an `up` did with a resource. */
export interface Step {
  readonly step: "same" | "update" | "replace";
  readonly state: State;
  readonly replaces: readonly string[];
}

type Account = Pick<ControlPlane, "url" | "apiKey">;

const sdk = new PulumiSdk(resolve("."));

/** The details of a failed call; fails if it does not fail. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: { details?: string; message: string }) => error.details ?? error.message,
  );
  if (typeof outcome === "string") return outcome;
  throw new Error(`it did not fail, but returned ${JSON.stringify(outcome.value)}`);
}

/** The outputs of a resource. Throws if the secret of a key is not marked, because an engine would save it in clear. */
function clear(struct: Struct | undefined): Values {
  const raw = fromStruct(struct);
  for (const name of ["key", "previousKey"]) {
    const value = raw[name];
    if (typeof value === "string") throw new Error(`the plugin does not mark ${name} as a secret`);
  }
  return unmarked(raw) as Values;
}

function structOf(values: Values): Struct {
  return sdk.struct.fromJavaScript(values as { [name: string]: string });
}
