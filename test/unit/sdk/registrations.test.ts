import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { ApiKey, ProjectReady, RotatingApiKey } from "../../../sdk/nodejs";

const { withLocalStorage } = require("@pulumi/pulumi/runtime/state") as {
  withLocalStorage<T>(callback: () => Promise<T>): Promise<T>;
};
const { waitForRPCs } = require("@pulumi/pulumi/runtime/settings") as { waitForRPCs(): Promise<void> };

/** A registration, as the engine receives it. */
interface Request {
  getType(): string;
  getName(): string;
  getDependenciesList(): string[];
  getAdditionalsecretoutputsList(): string[];
  getObject(): { toJavaScript(): Record<string, unknown> };
}

interface Monitor {
  registerResource(request: Request, answered: unknown): unknown;
}

/** Runs a program as Pulumi's Automation API does. Returns what it registered besides its stack, by name. */
function run(program: () => void, { isPreview = false, isMocked = false } = {}): Promise<Request[]> {
  return withLocalStorage(async () => {
    const requests: Request[] = [];
    const mocks: pulumi.runtime.Mocks = { newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) };
    await pulumi.runtime.setMocks(mocks, "proj", "dev", isPreview, "acme");
    const mocked = pulumi.runtime.getMonitor() as unknown as Monitor;
    const { registerResource } = mocked;
    mocked.registerResource = (request, answered) => {
      requests.push(request);
      return registerResource.call(mocked, request, answered);
    };
    // A monitor that does not have the name of a unit test's monitor counts as an engine.
    if (!isMocked) pulumi.runtime.setMockOptions(Object.create(mocked, ENGINE), "proj", "dev", isPreview, "acme");
    await pulumi.runtime.runInPulumiStack(async () => program());
    await waitForRPCs();
    const own = requests.filter((request) => request.getType() !== "pulumi:pulumi:Stack");
    return own.sort((one, other) => one.getName().localeCompare(other.getName()));
  });
}

const ENGINE = { constructor: { value: class Engine {} } };

const inputsOf = (request: Request | undefined) => request?.getObject().toJavaScript() ?? {};

const declareAll = () => {
  new ApiKey("ci", { account: "eu" }, { retainOnDelete: true });
  new RotatingApiKey("app", { organizationId: "org-1", revokeNow: "17" }, { additionalSecretOutputs: ["name"] });
  new ProjectReady("shop", { projectId: "p" });
};

test("a program registers its own resources and nothing else", async () => {
  const requests = await run(declareAll);
  expect(requests.map((request) => `${request.getType()} ${request.getName()}`)).toEqual([
    "pulumi-nodejs:dynamic/keyplane:RotatingApiKey app",
    "pulumi-nodejs:dynamic/keyplane:ApiKey ci",
    "pulumi-nodejs:dynamic/keyplane:ProjectReady shop",
  ]);
  expect(requests.flatMap((request) => request.getDependenciesList())).toEqual([]);
});

test("a resource is registered with its own inputs and four hidden ones, and its secrets are secret", async () => {
  const [rotating, key, gate] = await run(declareAll);
  const urn = (request?: Request) => `urn:pulumi:dev::proj::${request?.getType()}::${request?.getName()}`;
  const hidden = { __organization: "acme", __seed: expect.any(String), __provider: expect.any(String) };
  expect(inputsOf(key)).toEqual({ account: "eu", resourceUrn: urn(key), ...hidden });
  expect(inputsOf(rotating)).toEqual({
    organizationId: "org-1",
    revokeNow: "17",
    resourceUrn: urn(rotating),
    ...hidden,
  });
  expect(inputsOf(gate)).toEqual({ projectId: "p", resourceUrn: urn(gate), __provider: hidden.__provider });
  expect(key?.getAdditionalsecretoutputsList()).toEqual(["key"]);
  expect(rotating?.getAdditionalsecretoutputsList().sort()).toEqual(["key", "name", "previousKey"]);
});

const declareTwo = () => {
  new ApiKey("one");
  new RotatingApiKey("two");
};

test("the seed of a key has the stack's name and 12 random characters, which no other key has", async () => {
  const requests = [...(await run(declareTwo)), ...(await run(declareTwo))];
  const seeds = requests.map((request) => inputsOf(request).__seed);
  expect(seeds).toHaveLength(4);
  for (const seed of seeds) expect(seed).toMatch(/^acme\/proj\/dev\/[a-z2-7]{12}$/);
  expect(new Set(seeds).size).toBe(4);
});

test("a preview does not know the seed, so that a plan allows any", async () => {
  const requests = await run(declareTwo, { isPreview: true });
  const seeds = requests.map((request) => inputsOf(request).__seed);
  expect(seeds).toEqual(["04da6b54-80e4-46f7-96ec-b56ff0331ba9", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"]);
});

test("a unit test with mocks sees no seed, also if it runs a whole program", async () => {
  const requests = await run(declareTwo, { isMocked: true });
  expect(requests.map((request) => request.getName())).toEqual(["one", "two"]);
  for (const request of requests) expect(inputsOf(request)).not.toHaveProperty("__seed");
});
