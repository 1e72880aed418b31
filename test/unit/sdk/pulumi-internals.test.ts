import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { onCancel } from "../../../provider/dynamic/pulumi-internals";
import {
  childrenOf,
  isMocked,
  knownValue,
  observeRegistrations,
  rewriteDebug,
  runStores,
  settled,
  showOnlyMessage,
  stackOutputs,
} from "../../../sdk/nodejs/run/pulumi-internals";

const log = require("@pulumi/pulumi/log") as { debug: (message: string) => unknown };
const { ResourceMonitorClient } = require("@pulumi/pulumi/proto/resource_grpc_pb") as {
  ResourceMonitorClient: { readonly prototype: { registerResource: unknown } };
};
const { debug } = log;
const { registerResource } = ResourceMonitorClient.prototype;

afterEach(() => {
  log.debug = debug;
  ResourceMonitorClient.prototype.registerResource = registerResource;
});

const unknown = pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;

test("Pulumi's outputs tell their values, also those that a preview does not know", async () => {
  expect(await knownValue(pulumi.output("17"))).toBe("17");
  expect(await settled(pulumi.output("17"))).toBe("17");
  expect(await settled(unknown)).toBe(pulumi.unknown);
});

test("Pulumi's mocks are recognized, so that a unit test gets no ledger", async () => {
  await pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) });
  expect(isMocked()).toBe(true);
});

test("Pulumi's stack has the outputs of the program, and Pulumi's store the calls that are under way", async () => {
  expect(await stackOutputs({ outputs: pulumi.output({ a: 1 }) } as unknown as pulumi.Resource)).toEqual({ a: 1 });
  expect(stackOutputs({} as pulumi.Resource)).toBeUndefined();
  expect(runStores.getLocalStore()).toBeUndefined();
  expect(runStores.getStore().settings.rpcDone).toBeInstanceOf(Promise);
});

test("Pulumi's components list their children, for which data sources wait", async () => {
  await pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) });
  const component = new pulumi.ComponentResource("test:index:Group", "group");
  const child = new pulumi.ComponentResource("test:index:Group", "child", {}, { parent: component });
  expect(childrenOf(component)).toEqual([child]);
  expect(childrenOf(child)).toEqual([]);
});

test("an error gets the mark with which Pulumi shows only its message, once", () => {
  const error = new Error("no");
  expect([showOnlyMessage(error), showOnlyMessage(error)]).toEqual([true, false]);
  expect((pulumi.RunError as { isInstance(error: unknown): boolean }).isInstance(error)).toBe(true);
});

test("Pulumi's debug messages are rewritten, and stay if Pulumi has none", () => {
  const shown = vi.fn();
  log.debug = shown;
  rewriteDebug((message) => message.toUpperCase());
  log.debug("a secret");
  expect(shown.mock.calls).toEqual([["A SECRET"]]);
  Object.assign(log, { debug: undefined });
  rewriteDebug((message) => message);
  expect(log.debug).toBeUndefined();
});

test("Pulumi's registrations are observed with their answers, and none is seen if Pulumi has no such call", () => {
  const seen: unknown[] = [];
  const answers: unknown[] = [];
  Object.assign(ResourceMonitorClient.prototype, {
    registerResource: (_: unknown, answered: (error: unknown, answer: unknown) => void) => answered(null, "answer"),
  });
  observeRegistrations((request) => (error, answer) => seen.push([request, error, answer]));
  const client = ResourceMonitorClient.prototype as { registerResource(request: unknown, answered: unknown): void };
  client.registerResource("request", (_: unknown, answer: unknown) => answers.push(answer));
  expect([seen, answers]).toEqual([[["request", null, "answer"]], ["answer"]]);
  Object.assign(ResourceMonitorClient.prototype, { registerResource: undefined });
  observeRegistrations(() => undefined);
  expect(client.registerResource).toBeUndefined();
});

test("gRPC's look-up of handlers shows that the engine cancels the run, and a server without it is left alone", () => {
  const cancelled = vi.fn();
  const server = { _retrieveHandler: (path: unknown) => `handler of ${path}` };
  onCancel(cancelled, server);
  expect(server._retrieveHandler("/pulumirpc.ResourceProvider/Create")).toContain("Create");
  expect(cancelled).not.toHaveBeenCalled();
  expect(server._retrieveHandler("/pulumirpc.ResourceProvider/Cancel")).toContain("Cancel");
  expect(cancelled).toHaveBeenCalledOnce();
  const other = {};
  onCancel(cancelled, other);
  expect(other).toEqual({});
});
