import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";

const { ResourceMonitorService } = require("@pulumi/pulumi/proto/resource_grpc_pb");
const { RegisterResourceResponse, SupportsFeatureResponse } = require("@pulumi/pulumi/proto/resource_pb");
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const { ConstructRequest } = require("@pulumi/pulumi/proto/provider_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");

/** A package that offers a component to programs in other languages. */
const PROVIDER = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey } = require("keyplane");
class Part extends pulumi.ComponentResource {
  constructor(name, options) {
    super("parts:index:Part", name, {}, options);
    new ApiKey("key", {}, { parent: this });
  }
}
const construct = async (name, _type, _inputs, options) => ({ urn: new Part(name, options).urn, state: {} });
pulumi.provider.main({ version: "1.0.0", construct }, process.argv.slice(1));
`;

let provider: ChildProcess;
let monitor: Server;

afterEach(() => {
  provider.kill("SIGKILL");
  monitor.forceShutdown();
});

/** An engine that answers everything that a component requests before it declares a key. */
async function serveMonitor(): Promise<string> {
  monitor = new Server();
  monitor.addService(ResourceMonitorService, {
    supportsFeature: (_: unknown, answer: (error: null, response: object) => void) =>
      answer(null, new SupportsFeatureResponse()),
    registerResource: (_: unknown, answer: (error: null, response: object) => void) =>
      answer(null, new RegisterResourceResponse().setUrn("urn:pulumi:dev::proj::parts:index:Part::part")),
  } as never);
  return new Promise((resolve, reject) => {
    monitor.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(`127.0.0.1:${port}`),
    );
  });
}

test("a component provider that declares a key is refused at once, and the error says what to do", async () => {
  const address = await serveMonitor();
  provider = spawn(process.execPath, ["-e", PROVIDER, address], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(createInterface({ input: provider.stdout as NodeJS.ReadableStream }), "line");
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const request = new ConstructRequest().setProject("proj").setStack("dev").setMonitorendpoint(address).setParallel(1);
  request.setType("parts:index:Part").setName("part").setInputs(Struct.fromJavaScript({}));
  const refused = await new Promise<string>((resolve) =>
    client.construct(request, (error: Error | null) => resolve(error?.message ?? "constructed")),
  );
  client.close();
  expect(refused).toContain("KP-COMPONENT-PROVIDER");
  expect(refused).toContain("Declare the key in the program");
});
