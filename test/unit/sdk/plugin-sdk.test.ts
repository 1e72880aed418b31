import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, it, vi } from "vitest";
import { version } from "../../../package.json";
import {
  ApiKey,
  getApiKeys,
  getOperationsOutput,
  getProjects,
  ProjectReady,
  Provider,
  RotatingApiKey,
} from "../../../sdk/plugin";

/** What a resource is registered with, as the engine receives it. */
interface Registration {
  getType(): string;
  getVersion(): string;
  getAdditionalsecretoutputsList(): string[];
  getObject(): { toJavaScript(): Record<string, unknown> };
}

interface Monitor {
  registerResource(request: Registration, answered: unknown): unknown;
}

interface Read {
  getProperties(): { toJavaScript(): Record<string, unknown> };
}

const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

let registrations: Registration[];
let calls: pulumi.runtime.MockCallArgs[];

beforeEach(async () => {
  registrations = [];
  calls = [];
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: (args) => {
      calls.push(args);
      return { items: [{ id: "1" }] };
    },
  });
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const { registerResource } = monitor;
  vi.spyOn(monitor, "registerResource").mockImplementation((request, answered) => {
    registrations.push(request);
    return registerResource.call(monitor, request, answered);
  });
});

const urnOf = (resource: pulumi.Resource) => new Promise<string>((resolve) => resource.urn.apply(resolve));

/** The registration of a resource, once the engine has it. */
async function registrationOf(resource: pulumi.Resource): Promise<Registration> {
  await urnOf(resource);
  const found = registrations.at(-1);
  if (found === undefined) throw new Error("nothing was registered");
  return found;
}

it("a resource is registered with its inputs and the version of the plugin, and its secrets are secret", async () => {
  const request = await registrationOf(new ApiKey("ci", { rotateAfter: "90d", verify: true }));
  expect(request.getType()).toBe("keyplane:index:ApiKey");
  expect(request.getVersion()).toBe(version);
  expect(request.getObject().toJavaScript()).toEqual({ rotateAfter: "90d", verify: true });
  expect(request.getAdditionalsecretoutputsList()).toEqual(["key"]);
  const rotating = await registrationOf(new RotatingApiKey("app", {}, { additionalSecretOutputs: ["name"] }));
  expect(rotating.getAdditionalsecretoutputsList().sort()).toEqual(["key", "name", "previousKey"]);
});

it("another version of the plugin can be given", async () => {
  expect((await registrationOf(new ApiKey("ci", {}, { version: "0.3.0" }))).getVersion()).toBe("0.3.0");
});

it("the secret of an adopted key and the settings of a provider are secret, also if they are given as plain text", async () => {
  const adopting = await registrationOf(new RotatingApiKey("app", { adopt: { id: "1", key: "kp_1" } }));
  expect(adopting.getObject().toJavaScript()).toEqual({ adopt: { ...SECRET, value: { id: "1", key: "kp_1" } } });
  const provider = await registrationOf(
    new Provider("eu", { baseUrl: "https://host", apiKey: "kp_2", concurrency: 4, importKeys: { "1": "kp_1" } }),
  );
  expect(provider.getType()).toBe("pulumi:providers:keyplane");
  expect(provider.getVersion()).toBe(version);
  // Pulumi passes settings as texts.
  expect(provider.getObject().toJavaScript()).toEqual({
    baseUrl: "https://host",
    apiKey: { ...SECRET, value: "kp_2" },
    concurrency: "4",
    importKeys: { ...SECRET, value: '{"1":"kp_1"}' },
  });
  expect(provider.getAdditionalsecretoutputsList()).toEqual(["apiKey"]);
});

it("instances are recognized by their type, also those of another copy", () => {
  const ready = new ProjectReady("shop", { projectId: "p" });
  expect(ProjectReady.isInstance(ready)).toBe(true);
  expect([ApiKey.isInstance(ready), ApiKey.isInstance(undefined), Provider.isInstance({})]).toEqual([
    false,
    false,
    false,
  ]);
  expect(ApiKey.isInstance({ __pulumiType: "keyplane:index:ApiKey" })).toBe(true);
});

it("Pulumi makes an object of the class from a reference to a resource or a provider", async () => {
  const { getResourceModule, getResourcePackage } = require("@pulumi/pulumi/runtime/rpc") as {
    getResourceModule(name: string, module: string, version: string): pulumi.runtime.ResourceModule | undefined;
    getResourcePackage(name: string, version: string): pulumi.runtime.ResourcePackage | undefined;
  };
  const module = getResourceModule("keyplane", "index", version);
  const creations = [
    () => new ApiKey("a"),
    () => new RotatingApiKey("b"),
    () => new ProjectReady("c", { projectId: "p" }),
  ];
  for (const create of creations) {
    const resource = create();
    const token = (await registrationOf(resource)).getType();
    const found = module?.construct("a", token, await urnOf(resource));
    expect(found).not.toBe(resource);
    expect(found).toBeInstanceOf(resource.constructor);
  }
  expect(() => module?.construct("a", "keyplane:index:Other", "")).toThrow("keyplane:index:Other");
  const provider = new Provider("eu");
  const found = getResourcePackage("keyplane", version)?.constructProvider("eu", "", await urnOf(provider));
  expect(found).toBeInstanceOf(Provider);
});

it("a resource that is read by its id has no inputs", async () => {
  const monitor = pulumi.runtime.getMonitor() as unknown as { readResource(request: Read, answered: unknown): unknown };
  const { readResource } = monitor;
  const read: Record<string, unknown>[] = [];
  vi.spyOn(monitor, "readResource").mockImplementation((request, answered) => {
    read.push(request.getProperties().toJavaScript());
    return readResource.call(monitor, request, answered);
  });
  await urnOf(new ApiKey("ci", { rotateAfter: "90d" }, { id: "100017" }));
  await urnOf(ApiKey.get("other", "100018"));
  expect(read).toEqual([{}, {}]);
  expect(registrations).toEqual([]);
});

it("a function calls the plugin with its arguments, and its output form takes outputs", async () => {
  expect(await getApiKeys({ organizationId: "org-1" })).toEqual({ items: [{ id: "1" }] });
  const listed = getOperationsOutput({ projectId: pulumi.output("p"), limit: 2 }, { dependsOn: [] });
  expect(await new Promise((resolve) => listed.items.apply(resolve))).toEqual([{ id: "1" }]);
  expect(await getProjects()).toEqual({ items: [{ id: "1" }] });
  expect(calls.map(({ token, inputs }) => ({ token, inputs }))).toEqual([
    { token: "keyplane:index:getApiKeys", inputs: { organizationId: "org-1" } },
    { token: "keyplane:index:getOperations", inputs: { projectId: "p", limit: 2 } },
    { token: "keyplane:index:getProjects", inputs: {} },
  ]);
});

it("debug messages of Pulumi's SDK contain no values of a program with the plugin", async () => {
  const settings = require("@pulumi/pulumi/runtime/settings") as { getEngine(): unknown };
  const messages: string[] = [];
  const log = (request: { getMessage(): string }, done: (error: null) => void) => {
    messages.push(request.getMessage());
    done(null);
  };
  vi.spyOn(settings, "getEngine").mockReturnValue({ log });
  await pulumi.log.debug("Invoke RPC finished: tok=a; err: null, resp: kp_secret");
  vi.restoreAllMocks();
  expect(messages).toEqual(["Invoke RPC finished: tok=a; err: null, resp: [left out by keyplane]"]);
});
