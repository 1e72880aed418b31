import { type Client, credentials, Server, ServerCredentials, status } from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { ApiKey, RotatingApiKey } from "../../../sdk/nodejs";
import { hasRunFailed } from "../../../sdk/nodejs/run/watch-registrations";

const { withLocalStorage } = require("@pulumi/pulumi/runtime/state") as {
  withLocalStorage<T>(callback: () => Promise<T>): Promise<T>;
};
const { ResourceMonitorClient, ResourceMonitorService } = require("@pulumi/pulumi/proto/resource_grpc_pb");
const { RegisterResourceRequest, SupportsFeatureResponse } = require("@pulumi/pulumi/proto/resource_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { waitForRPCs } = require("@pulumi/pulumi/runtime/settings") as { waitForRPCs(): Promise<void> };

type Registered = pulumi.runtime.MockResourceArgs;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

class Part extends pulumi.CustomResource {
  constructor(name: string, inputs: pulumi.Inputs = {}) {
    super("test:index:Part", name, inputs);
  }
}

/** Answers each resource a little later. */
async function newResource(args: Registered, registered: Registered[]) {
  await pause(5);
  registered.push(args);
  return { id: args.name, state: { ...args.inputs, keyId: `${registered.length}` } };
}

type Answered = (error: Error | null, response?: unknown) => void;
type Monitor = Readonly<Record<string, (request: unknown, answered: Answered) => void>>;

/** The type of a resource that the engine refuses. */
const REFUSED = "test:index:Refused";

/** Serves the answers of the mocks like an engine, and returns a client for it. */
async function serve(mocked: Monitor): Promise<{ readonly client: Client; close(): void }> {
  const server = new Server();
  const handler = (method: string) => (call: { readonly request: unknown }, answered: Answered) =>
    mocked[method]?.(call.request, answered);
  const done = (_: unknown, answered: Answered) => answered(null, new Empty());
  const register = handler("registerResource");
  const refused = Object.assign(new Error("the engine is ending"), { code: status.UNAVAILABLE });
  server.addService(ResourceMonitorService, {
    registerResource: (call: { readonly request: { getType(): string } }, answered: Answered) =>
      call.request.getType() === REFUSED ? answered(refused) : register(call, answered),
    registerResourceOutputs: done,
    supportsFeature: (_: unknown, answered: Answered) => answered(null, new SupportsFeatureResponse()),
  } as never);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
  const client: Client = new ResourceMonitorClient(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    client,
    close() {
      client.close();
      server.forceShutdown();
    },
  };
}

/** Runs a program as Pulumi's Automation API does. Returns what it registered, in order. */
function run(program: () => Promise<unknown>, { isSeen = true, isPreview = false } = {}): Promise<Registered[]> {
  return withLocalStorage(async () => {
    const registered: Registered[] = [];
    const answer = async (args: Registered) => {
      const { id, state } = await newResource(args, registered);
      return { id, state: isPreview ? { ...state, keyId: undefined } : state };
    };
    const mocks = { newResource: answer, call: () => ({}) };
    await pulumi.runtime.setMocks(mocks, "proj", "dev", isPreview, "organization");
    const mocked = pulumi.runtime.getMonitor() as unknown as Monitor;
    // A monitor that does not have the name of a unit test's monitor counts as an engine.
    const Unseen = class extends (mocked.constructor as new (mocks: unknown) => object) {};
    const engine = isSeen ? await serve(mocked) : { client: new Unseen(mocks), close: () => {} };
    pulumi.runtime.setMockOptions(engine.client, "proj", "dev", isPreview, "organization");
    await pulumi.runtime.runInPulumiStack(program);
    await waitForRPCs();
    engine.close();
    return registered;
  });
}

const names = (registered: readonly Registered[]) =>
  registered.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`);

describe("the ledger of an inline program", () => {
  it("is its last resource, even if resources are declared later than the first key", async () => {
    const registered = await run(async () => {
      const first = new ApiKey("first");
      first.keyId.apply(() => {
        const second = new ApiKey("second");
        const input = second.keyId.apply(async (id) => {
          await pause(50);
          new ApiKey("third");
          return id;
        });
        new Part("late", { input });
      });
    });
    const all = ["ApiKey first", "ApiKey second", "ApiKey third", "Owner keyplane", "Part late"];
    expect(names(registered).slice(1, -1).sort()).toEqual(all);
    expect(names(registered).at(-1)).toBe("Ledger keyplane");
    expect(registered.at(-1)?.inputs.owned).toHaveLength(3);
  });

  it("knows none of its lists in a preview that does not know a key yet, so that a plan allows for all of them", async () => {
    const program = async () => {
      new RotatingApiKey("web", { rotateAfter: "30d" });
    };
    const { inputs = {} } = (await run(program, { isPreview: true })).at(-1) ?? {};
    const unknown = Object.keys(inputs).filter((name) => inputs[name] === undefined);
    expect(unknown).toEqual(expect.arrayContaining(["owned", "compromised", "previous", "untagged"]));
  });

  it("waits for a program that goes on after all its resources have an answer", async () => {
    const registered = await run(async () => {
      const key = new ApiKey("ci");
      await new Promise((resolve) => key.keyId.apply(resolve));
      await pause(200);
      new Part("late");
    });
    expect(names(registered).slice(-2)).toEqual(["Part late", "Ledger keyplane"]);
  });

  it("is the last resource of each program if several run at the same time", async () => {
    const program = (name: string, ms: number) => async () => {
      const key = new ApiKey(name);
      await pause(ms);
      key.keyId.apply(() => new Part("late"));
    };
    const all = await Promise.all([run(program("one", 60)), run(program("two", 5)), run(program("three", 30))]);
    for (const registered of all) {
      expect(names(registered).at(-1)).toBe("Ledger keyplane");
      expect(names(registered).filter((name) => name.startsWith("Ledger"))).toHaveLength(1);
      expect(names(registered)).toContain("Part late");
    }
  });

  it("is told that the run is incomplete if the program logs an error, as Pulumi does for an uncaught error", async () => {
    const registered = await run(async () => {
      new ApiKey("ci").keyId.apply(() => pulumi.log.error("an apply is broken").catch(() => {}));
    });
    expect(registered.at(-1)?.inputs).toMatchObject({ incomplete: true });
  });

  it("is told that the run is complete if nothing fails", async () => {
    const registered = await run(async () => {
      new ApiKey("ci");
    });
    expect(names(registered).at(-1)).toBe("Ledger keyplane");
    expect(registered.at(-1)?.inputs).not.toHaveProperty("incomplete");
  });

  it("is told of a component that another program constructs, whose children the run does not show", async () => {
    class Remote extends pulumi.ComponentResource {
      constructor() {
        super("other:index:Part", "remote", {}, {}, true);
      }
    }
    const registered = await run(async () => {
      new Remote();
      new ApiKey("ci");
    });
    expect(registered.at(-1)?.inputs).toMatchObject({ unseen: true });
    expect(registered.at(-1)?.inputs).not.toHaveProperty("incomplete");
  });

  it("is told that the run is incomplete if Pulumi's SDK does not show when the program's function returns", async () => {
    const registered = await run(async () => {
      Object.defineProperty(pulumi.runtime.getStackResource(), "outputs", { value: undefined });
      new ApiKey("ci");
    });
    expect(registered.at(-1)?.inputs).toMatchObject({ incomplete: true });
  });

  it("is told that the run is incomplete if no answer of the engine was seen", async () => {
    const registered = await run(
      async () => {
        new RotatingApiKey("app", { revokeNow: "17" });
      },
      { isSeen: false },
    );
    expect(registered.at(-1)?.inputs).toMatchObject({ incomplete: true, compromised: [] });
  });
});

it.each([
  ["has failed if the engine refuses a resource", REFUSED, true],
  ["has not failed if the engine deploys every resource", "test:index:Part", false],
])("a run %s", async (_, type, hasFailed) => {
  let told: boolean | undefined;
  await run(async () => {
    const request = new RegisterResourceRequest().setType(type).setName("part").setObject(new Struct());
    const { registerResource } = pulumi.runtime.getMonitor() as unknown as Monitor;
    await new Promise((resolve) => registerResource?.call(pulumi.runtime.getMonitor(), request, resolve));
    told = hasRunFailed();
  });
  expect(told).toBe(hasFailed);
});

it("a unit test with mocks that runs a whole program has no ledger", async () => {
  const registered: Registered[] = [];
  await withLocalStorage(async () => {
    await pulumi.runtime.setMocks({ newResource: (args) => newResource(args, registered), call: () => ({}) });
    await pulumi.runtime.runInPulumiStack(async () => {
      new ApiKey("ci");
    });
    await waitForRPCs();
  });
  expect(names(registered).slice(1)).toEqual(["Owner keyplane", "ApiKey ci"]);
});

it("a unit test with mocks can declare any number of keys, across awaits, without a ledger", async () => {
  const registered: Registered[] = [];
  await withLocalStorage(async () => {
    const mocks = { newResource: (args: Registered) => newResource(args, registered), call: () => ({}) };
    await pulumi.runtime.setMocks(mocks);
    for (const name of ["one", "two", "three"]) {
      const keys = [new ApiKey(name), new RotatingApiKey(`${name}-app`)];
      await Promise.all(keys.map(({ keyId }) => new Promise((resolve) => keyId.apply(resolve))));
      await pause(20);
    }
    await waitForRPCs();
  });
  expect(registered).toHaveLength(7);
  expect(names(registered).filter((name) => name.startsWith("Ledger"))).toEqual([]);
});
