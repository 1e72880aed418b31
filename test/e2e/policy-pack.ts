import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { AnalyzerClient } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import {
  AnalyzeRequest,
  type AnalyzeResponse,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
  EnforcementLevel,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { call } from "../../testing/engine/provider/plugin-process";
import {
  isMap,
  isSecret,
  type Json,
  type Properties,
  SECRET_SIGNATURE,
  SIGNATURE_KEY,
} from "../../testing/engine/state/property";

/** A resource in a stack's state. */
export interface AnalyzedResource {
  readonly urn: string;
  readonly type: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
}

/** A policy pack in its own process, called over gRPC as by Pulumi's engine. */
export class PolicyPackUnderTest {
  private constructor(
    private readonly child: ChildProcess,
    private readonly client: AnalyzerClient,
  ) {}

  /** Starts the pack in a folder. */
  static async start(folder: string): Promise<PolicyPackUnderTest> {
    const command = join(__dirname, "..", "..", "node_modules", "@pulumi", "pulumi", "cmd", "run-policy-pack");
    const child = spawn(process.execPath, [command, "127.0.0.1:1", "."], {
      cwd: folder,
      env: { ...process.env, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = await once(createInterface(child.stdout), "line");
    return new PolicyPackUnderTest(child, new AnalyzerClient(`127.0.0.1:${port}`, credentials.createInsecure()));
  }

  /** What the pack reports about a resource before it is created, each as `policy (level): message`. */
  async analyze({ urn, type, inputs = {} }: AnalyzedResource): Promise<string[]> {
    const request = new AnalyzeRequest().setUrn(urn).setType(type).setName(nameOf(urn));
    request.setProperties(structOf(inputs)).setOptions(new AnalyzerResourceOptions());
    return told(await call<AnalyzeResponse>((done) => this.client.analyze(request, done)));
  }

  /** What the pack reports about all resources of a stack at the end of a run. */
  async analyzeStack(resources: readonly AnalyzedResource[]): Promise<string[]> {
    const messages = resources.map(({ urn, type, outputs = {} }) => {
      const resource = new AnalyzerResource().setUrn(urn).setType(type).setName(nameOf(urn));
      return resource.setProperties(structOf(outputs)).setOptions(new AnalyzerResourceOptions());
    });
    const request = new AnalyzeStackRequest().setResourcesList(messages);
    return told(await call<AnalyzeResponse>((done) => this.client.analyzeStack(request, done)));
  }

  async stop(): Promise<void> {
    this.client.close();
    if (this.child.exitCode !== null) return;
    this.child.kill();
    await once(this.child, "exit");
  }
}

const LEVELS = Object.fromEntries(Object.entries(EnforcementLevel).map(([name, level]) => [level, name.toLowerCase()]));

function told(response: AnalyzeResponse): string[] {
  return response.getDiagnosticsList().map((diagnostic) => {
    const level = LEVELS[diagnostic.getEnforcementlevel()];
    return `${diagnostic.getPolicyname()} (${level}): ${diagnostic.getMessage().split("\n").at(-1)}`;
  });
}

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

function structOf(properties: Properties): Struct {
  return Struct.fromJavaScript(onTheWire(properties) as Record<string, Exclude<Json, null>>);
}

/** A value in gRPC form, in which a secret contains its value and not the value's text. */
function onTheWire(value: Json): Json {
  if (isSecret(value))
    return { [SIGNATURE_KEY]: SECRET_SIGNATURE, value: onTheWire(JSON.parse(value.plaintext ?? "")) };
  if (Array.isArray(value)) return value.map(onTheWire);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, onTheWire(inner)]));
}
