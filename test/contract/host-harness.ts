import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isSecret } from "../../provider/members";
import { unmarked } from "../../provider/session/values";
import { PulumiSdk } from "../../testing/engine/program/pulumi-sdk";
import { DynamicHost } from "../../testing/engine/provider/host";
import { call } from "../../testing/engine/provider/plugin-process";
import { lazySerializer } from "../../testing/workspace/lazy-serializer/lazy-serializer";
import { PulumiCli } from "./pulumi-cli";
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

export { UNKNOWN } from "./recording-engine";

export const shim = (kind: string) => `exports.handler=()=>require("keyplane/provider").${kind}`;
export const urnOf = (kind: string, name: string) =>
  `urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:${kind}::${name}`;

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Pulumi's own dynamic host, which the test drives over gRPC like an engine, and an engine that records its messages. */
export class HostUnderTest {
  readonly printed: string[] = [];
  /** The names of the outputs that the last answer has marked as secrets. */
  secrets: readonly string[] = [];
  pid = 0;
  private readonly sdk = new PulumiSdk(resolve("."));
  private readonly cli = new PulumiCli();
  private engine: RecordingEngine | undefined;
  private host: DynamicHost | undefined;
  private connected: ResourceProviderClient | undefined;
  private directory = "";

  static async start(config: Record<string, string>, env: NodeJS.ProcessEnv = {}): Promise<HostUnderTest> {
    const test = new HostUnderTest();
    test.directory = await realpath(await mkdtemp(join(tmpdir(), "keyplane-host-")));
    await mkdir(join(test.directory, "node_modules", "@pulumi"), { recursive: true });
    await symlink(resolve("."), join(test.directory, "node_modules", "keyplane"), "junction");
    const pulumi = resolve("node_modules/@pulumi/pulumi");
    await symlink(pulumi, join(test.directory, "node_modules", "@pulumi", "pulumi"), "junction");
    test.engine = await RecordingEngine.start(test.sdk);
    const { file } = test.cli;
    test.host = DynamicHost.spawn({
      sdk: test.sdk,
      directory: test.directory,
      engineAddress: test.engine.address,
      config,
      env: lazySerializer({
        PATH: process.env.PATH,
        HOME: test.directory,
        KEYPLANE_PULUMI: file,
        ...env,
      }),
      started: (pid) => {
        test.pid = pid;
      },
      printed: (line) => test.printed.push(line),
    });
    test.connected = await test.host.client;
    return test;
  }

  /** The messages that the host sent to the engine. */
  get logged(): readonly Logged[] {
    return this.engine?.logged ?? [];
  }

  async check(kind: string, olds: Values, news: Values): Promise<{ inputs: Values; failures: string[] }> {
    const request = new this.sdk.provider.CheckRequest();
    request.setOlds(this.struct(olds)).setNews(this.struct({ ...this.base(kind), ...news }));
    const response = await call<CheckResponse>((done) => this.client.check(request, done));
    return {
      inputs: fromStruct(response.getInputs()),
      failures: failuresOf(response),
    };
  }

  async diff(kind: string, id: string, olds: Values, news: Values) {
    const request = new this.sdk.provider.DiffRequest();
    request
      .setId(id)
      .setOlds(this.struct(olds))
      .setNews(this.struct({ ...this.base(kind), ...news }));
    return differenceOf(this.sdk, await call<DiffResponse>((done) => this.client.diff(request, done)));
  }

  async create(kind: string, inputs: Values): Promise<Reached> {
    const request = new this.sdk.provider.CreateRequest();
    request.setProperties(this.struct({ ...this.base(kind), ...inputs }));
    return orNotReady(
      this.sdk,
      async () => {
        const response = await call<CreateResponse>((done) => this.client.create(request, done));
        return { id: response.getId(), outputs: this.outputsIn(response.getProperties()) };
      },
      (struct) => this.outputsIn(struct),
    );
  }

  async update(kind: string, id: string, olds: Values, news: Values): Promise<Reached> {
    const request = new this.sdk.provider.UpdateRequest();
    request
      .setId(id)
      .setOlds(this.struct(olds))
      .setNews(this.struct({ ...this.base(kind), ...news }));
    return orNotReady(
      this.sdk,
      async () => {
        const response = await call<UpdateResponse>((done) => this.client.update(request, done));
        return { id, outputs: this.outputsIn(response.getProperties()) };
      },
      (struct) => this.outputsIn(struct),
    );
  }

  async read(id: string, outputs: Values): Promise<{ id: string; outputs: Values; hasInputs: boolean }> {
    const request = new this.sdk.provider.ReadRequest();
    request.setId(id).setProperties(this.struct(outputs));
    const response = await call<ReadResponse>((done) => this.client.read(request, done));
    return { id: response.getId(), outputs: this.outputsIn(response.getProperties()), hasInputs: response.hasInputs() };
  }

  async delete(id: string, outputs: Values): Promise<void> {
    const request = new this.sdk.provider.DeleteRequest();
    request.setId(id).setProperties(this.struct(outputs));
    await call((done) => this.client.delete(request, done));
  }

  /** Tells the host that the run is cancelled, as an engine does after Ctrl+C. */
  async cancel(): Promise<void> {
    const request = new this.sdk.empty();
    await call((done) => this.client.cancel(request, done));
  }

  /** Ends the engine like a kill: all its connections close. */
  killEngine(): void {
    this.engine?.kill();
  }

  async stop(): Promise<void> {
    this.host?.stop();
    this.killEngine();
    this.cli.remove();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The values that every resource of a type has in addition to its own. */
  base(kind: string, name = "ci"): Values {
    return { __provider: shim(kind), resourceUrn: urnOf(kind, name) };
  }

  private get client() {
    if (this.connected === undefined) throw new Error("the host is not running");
    return this.connected;
  }

  /** Outputs without the marks of secrets: the engine passes none back, because the host does not accept them. */
  private outputsIn(struct: Struct | undefined): Values {
    const marked = fromStruct(struct);
    this.secrets = Object.keys(marked).filter((name) => isSecret(marked[name]));
    return unmarked(marked) as Values;
  }

  private struct(values: Values): Struct {
    return this.sdk.struct.fromJavaScript(values as { [key: string]: string });
  }
}
